require('tsx/cjs');
require('./B2.ts');
