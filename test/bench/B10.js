require('tsx/cjs');
require('./B10.ts');
