require('tsx/cjs');
require('./B11.ts');
