require('tsx/cjs');
require('./B1.ts');
