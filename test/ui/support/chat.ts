import type { Frame, FrameLocator, Locator, Page } from 'playwright-core';
import { accessibilityProblems } from './axe.ts';

const OUTER = 'iframe.webview.ready[src*="extensionId=loopdock.loopdock"][src*="purpose=webviewView"]';
const READY_TIMEOUT_MS = 60_000;
const GUARD_MS = 700;

/**
 * The chat view. Locators are lazy and find the view again after a reload; English labels are used as a user reads
 * them, so a test that passes has also found the accessible names.
 */
export class Chat {
  /** The view's document: for everything that this class has no word for. */
  readonly root: FrameLocator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.root = page.frameLocator(OUTER).frameLocator('#active-frame');
  }

  /** Waits until the view's script has drawn the first snapshot. */
  async ready(): Promise<void> {
    await this.root.locator('html[data-ready]').waitFor({ state: 'attached', timeout: READY_TIMEOUT_MS });
  }

  /** The text box that prompts are typed into. */
  composer(): Locator {
    return this.root.locator('.composer textarea');
  }

  /** Types a prompt and sends it with Enter. */
  async type(prompt: string): Promise<void> {
    await this.composer().fill(prompt);
    await this.composer().press('Enter');
  }

  /** The rows of the transcript (messages, tool cards, attachments, notices) that contain a text. */
  row(text: string | RegExp): Locator {
    return this.root.getByRole('article').filter({ hasText: text });
  }

  /** All rows. */
  rows(): Locator {
    return this.root.getByRole('article');
  }

  /** The approval that can be answered now. */
  approval(): Locator {
    return this.root.locator('[data-live-approval]');
  }

  /** Waits for the next approval and accepts it, whatever its button is called. `about` must be in its card. */
  async approve(about?: string | RegExp): Promise<void> {
    await this.answerApproval(/^(Accept|Allow once)$/, about);
  }

  /** Waits for the next approval and rejects it. */
  async deny(about?: string | RegExp): Promise<void> {
    await this.answerApproval(/^(Reject|Deny)$/, about);
  }

  /** Waits for the next approval, whose card contains `about`, and presses the button of that name. */
  async answerApproval(button: string | RegExp, about?: string | RegExp): Promise<void> {
    const approval = this.approval();
    await approval.waitFor({ timeout: READY_TIMEOUT_MS });
    if (about !== undefined) await this.rows().filter({ has: approval, hasText: about }).waitFor();
    const pressed = await this.pressInApproval(button);
    // The next one is another one: without this a second call could press the button of the first again.
    await this.root.locator(`[data-live-approval="${pressed}"]`).waitFor({ state: 'detached' });
  }

  /**
   * Presses a button of the live approval. What is pressed in a card's first half second does nothing, so it waits; and
   * when it is asked anew meanwhile (the file has changed), it waits once more. Returns the id of what it pressed.
   */
  async pressInApproval(button: string | RegExp): Promise<string> {
    let id = await this.#approvalId();
    for (let settled = false; !settled;) {
      await this.#page.waitForTimeout(GUARD_MS);
      const now = await this.#approvalId();
      settled = now === id;
      id = now;
    }
    await this.approval().getByRole('button', { name: button }).click();
    return id;
  }

  async #approvalId(): Promise<string> {
    return (await this.approval().getAttribute('data-live-approval', { timeout: READY_TIMEOUT_MS })) ?? '';
  }

  /** A button by its visible text or accessible name, anywhere in the view. */
  button(name: string | RegExp): Locator {
    return this.root.getByRole('button', { name });
  }

  /** Waits until no turn runs (there is nothing to stop any more). */
  async idle(timeout = 60_000): Promise<void> {
    await this.root.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached', timeout });
  }

  /** The whole text of the view, as it is shown. */
  async text(): Promise<string> {
    return this.root.locator('body').innerText();
  }

  async html(): Promise<string> {
    return this.root.locator('html').evaluate((element) => element.outerHTML, undefined, { timeout: 5000 });
  }

  /** The frame itself, for evaluations. Taken anew after each reload. */
  async frame(): Promise<Frame> {
    const html = await this.root.locator('html').elementHandle();
    const frame = await html.ownerFrame();
    if (!frame) throw new Error('The chat view has no frame');
    return frame;
  }

  /** Runs axe on the view and returns one line per violation and element. */
  async accessibilityProblems(): Promise<string[]> {
    return accessibilityProblems(await this.frame());
  }
}
