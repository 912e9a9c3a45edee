import assert from 'node:assert/strict';
import { createIssuedState } from '../../../src/simulator/issued.ts';
import { validateRequest } from '../../../src/simulator/validate.ts';
import { image, type ImageKind, type ImageOptions } from '../../support/images.ts';

function problem(images: readonly ImageOptions[], model = 'claude-simulated-5'): ReturnType<typeof validateRequest> {
  const content = [{ type: 'text', text: 'Go' }, ...images.map(image)];
  return validateRequest({ model, max_tokens: 10, messages: [{ role: 'user', content }] }, createIssuedState());
}

suite('images in a request to the simulator', () => {
  const kinds: readonly ImageKind[] = ['png', 'jpeg', 'gif', 'webp'];

  test('are taken when they are what they say, and refused when they are not [G7]', () => {
    for (const kind of kinds) {
      for (const says of kinds) {
        const found = problem([{ kind, says }]);
        if (kind === says) assert.equal(found, null);
        else
          assert.match(found?.error.message ?? '', new RegExp(`^messages\\.0\\.content\\.1\\.image.*image/${kind}$`));
      }
    }
  });

  test('are refused above 5 MB [G5]', () => {
    assert.match(problem([{ bytes: 6_521_204 }])?.error.message ?? '', /exceeds 5 MB maximum: \d+ bytes > 5242880/);
    assert.equal(problem([{ bytes: 3_900_000 }]), null);
  });

  test('are refused for the length of a side, by paths, from the 21st image on above 2000 pixels [C12]', () => {
    for (const kind of kinds) {
      const long = { kind, width: 10, height: 2001 };
      assert.equal(problem([long, ...Array.from({ length: 19 }, () => ({}))]), null);
      const found = problem([{}, long, ...Array.from({ length: 19 }, () => ({}))]);
      assert.deepEqual(found?.error.details, {
        error_code: 'image_dimensions_too_large',
        max_side_length_pixels: 2000,
        paths: ['messages.0.content.2'],
      });
      assert.equal(found.status, 400);
      assert.notEqual(problem([{ kind, width: 8001, height: 1 }]), null);
    }
  });

  test('are refused above the number that the model takes', () => {
    const hundred = Array.from({ length: 101 }, () => ({}));
    assert.equal(problem(hundred), null);
    assert.match(problem(hundred, 'claude-simulated-mini')?.error.message ?? '', /101 > 100/);
  });
});
