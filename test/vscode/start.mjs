// `npm start`. Plain Node: it must run before anything is installed.
import { bootstrap } from './bootstrap.mjs';

await bootstrap();
await import('./demo.ts');
