import '@vscode/codicons/dist/codicon.css';
import './styles/base.css';
import './styles/chrome.css';
import './styles/feed.css';
import './styles/markdown.css';
import './styles/tool.css';
import './styles/composer.css';
import './styles/usage.css';
import './styles/inputs.css';
import { boot } from './boot.tsx';
import type { VsCodeApi } from './boot.tsx';

declare function acquireVsCodeApi(): VsCodeApi;

boot(window, acquireVsCodeApi());
