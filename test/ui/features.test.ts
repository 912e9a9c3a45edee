import { attachments } from './features/attachments.ts';
import { batches } from './features/batches.ts';
import { examples } from './features/examples.ts';
import { inputs } from './features/inputs.ts';
import { pictures } from './features/pictures.ts';
import { requests } from './features/requests.ts';
import { assertSentFitsSdk } from '../support/sdkRequests.ts';
import { openFeatureWindow, type FeatureWindow } from './features/window.ts';

// A window takes seconds to open: all features that need nothing of their own share one.
suite('In one window', () => {
  let window: FeatureWindow;
  const opened = (): FeatureWindow => window;

  suiteSetup(async () => {
    window = await openFeatureWindow();
  });
  suiteTeardown(async () => {
    await window.workbench.close();
    await window.simulator.close();
  });

  suite('the examples of the documentation of code execution', () => examples(opened));
  suite('attachments', () => attachments(opened));
  suite('a prompt over many files, and skills', () => batches(opened));
  suite('files in, and the container they go to', () => inputs(opened));
  suite('what was sent to Claude', () => requests(opened));
  // The last, with all that was sent before it.
  suite('the requests of all this', () => {
    test('are of the type that the SDK gives them', () => assertSentFitsSdk(window.simulator.requests));
  });
  // For people to look at: nothing is judged.
  if (process.env['LOOPDOCK_PICTURES']) suite('pictures', () => pictures(opened));
});
