import { strict as assert } from 'node:assert';
import { format } from '../../../src/protocol/format.ts';
import { englishStrings } from '../../../src/protocol/strings.ts';

suite('strings of the webview', () => {
  test('format fills in its arguments and leaves what it has none for', () => {
    assert.equal(format('{1} of {0}', 10, 'three'), 'three of 10');
    assert.equal(format('{0} {2}', 'a'), 'a {2}');
    assert.equal(format('no place', 'a'), 'no place');
  });

  test('an argument that looks like a place is not filled in again', () => {
    assert.equal(format('{0}{1}', '{1}', 'x'), '{1}x');
  });

  test('no text is empty', () => {
    for (const [key, text] of Object.entries<string>({ ...englishStrings })) assert.notEqual(text.trim(), '', key);
  });
});
