require('tsx/cjs');
require('./B8.ts');
