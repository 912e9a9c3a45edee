import '../styles/base.css';
import './preview.css';
import { bootPreview } from './boot.tsx';
import type { Host } from './boot.tsx';

declare function acquireVsCodeApi(): Host;

bootPreview(window, acquireVsCodeApi());
