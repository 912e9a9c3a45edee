import type { FrameLocator, Page } from 'playwright-core';
import { accessibilityProblems } from './axe.ts';

const OUTER = 'iframe.webview.ready[src*="extensionId=loopdock.loopdock"]:not([src*="purpose=webviewView"])';

/** The page of our own editor that is in front. */
export class EditorPage {
  readonly root: FrameLocator;

  constructor(page: Page) {
    this.root = page.frameLocator(OUTER).frameLocator('#active-frame');
  }

  /** One line per violation and element. */
  async accessibilityProblems(): Promise<string[]> {
    const html = await this.root.locator('html').elementHandle();
    const frame = await html.ownerFrame();
    if (!frame) throw new Error('The editor has no frame');
    return accessibilityProblems(frame);
  }
}
