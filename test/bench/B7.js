require('tsx/cjs');
require('./B7.ts');
