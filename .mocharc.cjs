// tsx takes JSX settings only from a tsconfig that includes the file; media's is the one that covers the view and its tests.
process.env.TSX_TSCONFIG_PATH ??= require('node:path').join(__dirname, 'media', 'tsconfig.json');

module.exports = {
  'node-option': ['import=tsx'],
  ui: 'tdd',
  timeout: 10_000,
  recursive: true,
  extension: ['ts', 'tsx'],
};
