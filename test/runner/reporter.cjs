// For `mocha --reporter`, which wants a CommonJS constructor: mocha's own output, and the results file beside it.
const { reporters } = require('mocha');
const { recordResults } = require('./record.ts');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    recordResults(runner);
  }
};
