require('tsx/cjs');
require('./B3.ts');
