import { writeTable } from './conformance.ts';

writeTable();
