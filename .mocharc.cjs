module.exports = {
  'node-option': ['import=tsx'],
  ui: 'tdd',
  timeout: 10_000,
  recursive: true,
  extension: ['ts', 'tsx'],
};
