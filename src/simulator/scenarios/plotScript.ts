/**
 * The program that the demo runs in the simulated container: reads sales.csv, drops rows that are doubled or have no
 * revenue, and leaves cleaned.csv and chart.png in $OUTPUT_DIR. Plain Node; the PNG is written byte by byte. Every
 * number in the table shows: in a bar, in its label, in the total.
 */
export const plotScript = String.raw`import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';

const output = process.env.OUTPUT_DIR;
const lines = readFileSync('sales.csv', 'utf8').split(/\r?\n/).filter((line) => line.trim() !== '');
const header = lines[0].split(',').map((cell) => cell.trim());
const label = Math.max(0, header.indexOf('month'));
const value = header.includes('revenue') ? header.indexOf('revenue') : header.length - 1;

// Clean: trimmed cells, no doubles, a number where the revenue is.
const seen = new Set();
const rows = [];
for (const line of lines.slice(1)) {
  const cells = line.split(',').map((cell) => cell.trim());
  const amount = cells[value] === undefined || cells[value] === '' ? NaN : Number(cells[value]);
  const key = cells.join(',');
  if (!Number.isFinite(amount) || seen.has(key)) continue;
  seen.add(key);
  rows.push(cells);
}
writeFileSync(join(output, 'cleaned.csv'), [header, ...rows].map((cells) => cells.join(',')).join('\n') + '\n');

const sums = new Map();
for (const cells of rows) sums.set(cells[label], (sums.get(cells[label]) ?? 0) + Number(cells[value]));
const total = [...sums.values()].reduce((sum, amount) => sum + amount, 0);

// Draw.
const width = 640;
const height = 400;
const pixels = Buffer.alloc(width * height * 3, 255);
function box(left, top, right, bottom, color) {
  for (let y = Math.max(0, Math.round(top)); y < Math.min(height, Math.round(bottom)); y += 1) {
    for (let x = Math.max(0, Math.round(left)); x < Math.min(width, Math.round(right)); x += 1) {
      pixels.set(color, (y * width + x) * 3);
    }
  }
}
// Three by five dots, one number per line of dots.
const font = {
  0: [7, 5, 5, 5, 7], 1: [2, 6, 2, 2, 7], 2: [7, 1, 7, 4, 7], 3: [7, 1, 7, 1, 7], 4: [5, 5, 7, 1, 1],
  5: [7, 4, 7, 1, 7], 6: [7, 4, 7, 5, 7], 7: [7, 1, 1, 2, 2], 8: [7, 5, 7, 5, 7], 9: [7, 5, 7, 1, 7],
  A: [2, 5, 7, 5, 5], B: [6, 5, 6, 5, 6], C: [3, 4, 4, 4, 3], D: [6, 5, 5, 5, 6], E: [7, 4, 6, 4, 7],
  F: [7, 4, 6, 4, 4], G: [3, 4, 5, 5, 3], H: [5, 5, 7, 5, 5], I: [7, 2, 2, 2, 7], J: [1, 1, 1, 5, 2],
  K: [5, 5, 6, 5, 5], L: [4, 4, 4, 4, 7], M: [5, 7, 7, 5, 5], N: [6, 5, 5, 5, 5], O: [2, 5, 5, 5, 2],
  P: [6, 5, 6, 4, 4], Q: [2, 5, 5, 6, 3], R: [6, 5, 6, 5, 5], S: [3, 4, 2, 1, 6], T: [7, 2, 2, 2, 2],
  U: [5, 5, 5, 5, 7], V: [5, 5, 5, 5, 2], W: [5, 5, 7, 7, 5], X: [5, 5, 2, 5, 5], Y: [5, 5, 2, 2, 2],
  Z: [7, 1, 2, 4, 7], '.': [0, 0, 0, 0, 2], '-': [0, 0, 7, 0, 0],
};
function write(text, left, top, scale) {
  for (const [index, character] of Array.from(text.toUpperCase()).entries()) {
    const rows = font[character] ?? [0, 0, 0, 0, 0];
    for (const [row, bits] of rows.entries()) {
      for (let column = 0; column < 3; column += 1) {
        if (!((bits >> (2 - column)) & 1)) continue;
        const x = left + (index * 4 + column) * scale;
        box(x, top + row * scale, x + scale, top + (row + 1) * scale, [40, 40, 60]);
      }
    }
  }
}
const widthOf = (text, scale) => (text.length * 4 - 1) * scale;

write((header[value] + ' by ' + header[label]).slice(0, 30), 24, 16, 3);
const sum = 'total ' + String(Math.round(total * 100) / 100);
write(sum, width - 24 - widthOf(sum, 3), 16, 3);
const most = Math.max(1, ...sums.values());
const base = height - 44;
const slot = (width - 48) / Math.max(1, sums.size);
box(24, base, width - 24, base + 2, [120, 120, 130]);
[...sums].forEach(([name, amount], index) => {
  const left = 24 + index * slot;
  const top = base - (Math.max(0, amount) / most) * (base - 76);
  box(left + slot * 0.15, top, left + slot * 0.85, base, [[204, 120, 92], [86, 130, 178]][index % 2]);
  const shown = String(Math.round(amount * 100) / 100);
  const scale = widthOf(shown, 3) < slot ? 3 : 1;
  write(shown, left + (slot - widthOf(shown, scale)) / 2, top - 8 - 5 * scale, scale);
  write(name.slice(0, 8), left + (slot - widthOf(name.slice(0, 8), scale)) / 2, base + 12, scale);
});

// Encode.
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const bytes = Buffer.alloc(body.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  body.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(body), body.length + 4);
  return bytes;
}
const head = Buffer.alloc(13);
head.writeUInt32BE(width, 0);
head.writeUInt32BE(height, 4);
head.set([8, 2, 0, 0, 0], 8);
const scanlines = Buffer.alloc(height * (width * 3 + 1));
for (let y = 0; y < height; y += 1) {
  pixels.copy(scanlines, y * (width * 3 + 1) + 1, y * width * 3, (y + 1) * width * 3);
}
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(scanlines)), chunk('IEND', Buffer.alloc(0))];
writeFileSync(join(output, 'chart.png'), Buffer.concat([signature, ...parts]));

const best = [...sums].sort((a, b) => b[1] - a[1])[0] ?? ['none', 0];
console.log(JSON.stringify({ kept: rows.length, dropped: lines.length - 1 - rows.length, total, best }));
`;
