import '../styles/base.css';
import '../styles/markdown.css';
import './preview.css';
import type { PreviewStrings } from '../../src/protocol/preview.ts';
import type { StorageStrings } from '../../src/protocol/storage.ts';
import { bootPreview } from './boot.tsx';
import type { Host } from './boot.tsx';
import { bootStorage } from './storage.tsx';

declare function acquireVsCodeApi(): Host;

const text = document.getElementById('loopdock-strings')?.textContent;
if (!text) throw new Error('The page has no strings');
const strings = JSON.parse(text) as PreviewStrings | StorageStrings;
if ('page' in strings) bootStorage(window, strings, acquireVsCodeApi());
else bootPreview(window, strings, acquireVsCodeApi());
