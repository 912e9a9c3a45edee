const assert = require('node:assert');
const { sum, total } = require('../src/sum.js');

const tests = {
  'adds two numbers': () => assert.strictEqual(sum(2, 3), 5),
  'adds a negative number': () => assert.strictEqual(sum(2, -3), -1),
  'adds up a list': () => assert.strictEqual(total([1, 2, 3, 4]), 10),
  'an empty list is zero': () => assert.strictEqual(total([]), 0),
};

let failed = 0;
for (const [name, run] of Object.entries(tests)) {
  try {
    run();
    console.log(`ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}: expected ${error.expected}, got ${error.actual}`);
  }
}
console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
