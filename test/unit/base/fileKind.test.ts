import assert from 'node:assert/strict';
import { fileKind } from '../../../src/core/base/fileKind.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

suite('the kind of a file', () => {
  test('comes from its bytes; its name decides between kinds that look alike only [XT72]', () => {
    for (const [name, head, kind] of [
      ['a.png', PNG, 'image'],
      ['a.csv', PNG, 'image'],
      ['a.png', '<html><script>alert(1)</script>', 'text'],
      ['a.svg', '<svg onload="alert(1)"/>', 'text'],
      ['a.html', '<html>', 'text'],
      ['a.csv', 'a,b\n', 'csv'],
      ['A.TSV', 'a\tb\n', 'csv'],
      ['a.txt', 'a,b\n', 'text'],
      ['a.md', '# One\n', 'markdown'],
      ['a.md', PNG, 'image'],
      ['a.pdf', '%PDF-1.7\n', 'pdf'],
      ['a.js', '%PDF-1.7\nalert(1)', 'pdf'],
      ['a.xlsx', 'PK\u0003\u0004', 'xlsx'],
      ['a.docx', Buffer.from('504b0304140000000800', 'hex'), 'binary'],
      ['a.parquet', 'PAR1', 'parquet'],
      ['a.mp3', Buffer.from([0xff, 0xfb, 0x90, 0]), 'media'],
      ['a.exe', Buffer.from('MZ\0\0'), 'binary'],
      ['', '', 'text'],
      ['a.txt', Buffer.from('\uFEFFhi', 'utf16le'), 'text'],
      ['a.txt', Buffer.from('grün').subarray(0, 3), 'text'],
      ['a.txt', Buffer.from([0xe9, 0x20, 0x41]), 'binary'],
    ] as const) {
      assert.equal(fileKind(name, Buffer.from(head as string)), kind, `${name} ${String(head)}`);
    }
  });
});
