// `npm test`. Plain Node: it must run before anything is installed.
import { bootstrap } from './vscode/bootstrap.mjs';

await bootstrap();
await import('./runner/main.ts');
