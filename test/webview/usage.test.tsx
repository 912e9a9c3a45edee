import { strict as assert } from 'node:assert';
import { mount } from './support/mount.tsx';
import type { Mounted } from './support/mount.tsx';
import { state, usage } from './support/sample.ts';

const LABEL = 'Context: 82,400 of 200,000 tokens41%';

suite('the meter of the context', () => {
  let view: Mounted;
  setup(() => (view = mount()));
  teardown(() => view.unmount());
  const show = (changes: Parameters<typeof usage>[0] = {}) =>
    view.snapshot([], { contextTokens: 82_400, contextLimit: 200_000, usage: usage(changes) });
  const panel = () => view.root.querySelector('.usage-panel');

  test('is not there before anything was used', async () => {
    await view.snapshot([]);
    assert.equal(view.root.querySelector('.context-button'), null);
  });

  test('says how full the context is, and opens and closes with a click', async () => {
    await show();
    const button = view.button(LABEL);
    assert.equal(button.querySelector('[aria-hidden="true"]:not(svg)')?.textContent, '41%');
    assert.equal(button.getAttribute('aria-expanded'), 'false');
    await view.click(button);
    assert.equal(button.getAttribute('aria-expanded'), 'true');
    assert.equal(panel()?.id, button.getAttribute('aria-controls'));
    await view.click(button);
    assert.equal(panel(), null);
  });

  test('shows what the context holds, as an estimate, and what turn and session cost', async () => {
    await show();
    await view.click(view.button(LABEL));
    const lines = [...view.root.querySelectorAll('.usage-line')].map((line) => line.textContent);
    assert.deepEqual(lines.slice(0, 3), ['Tools2,400', 'Files30,000', 'Conversation50,000']);
    assert.match(panel()?.textContent ?? '', /estimated by size/);
    assert.match(lines[3] ?? '', /^This turn\$0\.0123, 1 request120 new, 2\.4K written.*80K read.*900 answered/);
    assert.match(lines[4] ?? '', /^This session≈ \$1\.23 at least, 2 requests/);
    assert.match(lines[5] ?? '', /^Container time1 min 5 s, \$0\.0042 at most, which is in the total: an estimate/);
    assert.match(lines[6] ?? '', /97% of the last request, 48% of the session/);
  });

  test('explains a missed cache, and calls one without a reason yet no hit [C109]', async () => {
    await show({ cacheMiss: 'pause' });
    await view.click(view.button(LABEL));
    assert.match(panel()?.textContent ?? '', /kept for five minutes, and the pause was longer/);
    await view.patch(1, {
      op: 'state',
      state: state({ contextTokens: 82_400, usage: usage({ cacheMiss: 'pending' }) }),
    });
    assert.match(panel()?.textContent ?? '', /missed the cache; the API is still finding out why/);
  });

  test('says that a cost is unknown instead of guessing one', async () => {
    const { session } = usage();
    await show({ session: { ...session, nano: null } });
    await view.click(view.button(LABEL));
    assert.match(panel()?.textContent ?? '', /This sessioncost unknown, 2 requests/);
  });

  test('closes with Escape, which then stops no turn, and gives the focus back', async () => {
    await view.snapshot([], { busy: true, contextTokens: 82_400, contextLimit: 200_000, usage: usage() });
    const button = view.button(LABEL);
    await view.click(button);
    await view.key(view.find('.usage-panel'), 'Escape');
    assert.equal(panel(), null);
    assert.equal(document.activeElement, button);
    assert.deepEqual(view.sent, []);
    await view.key(button, 'Escape');
    assert.deepEqual(view.sent, [{ type: 'turn/stop' }]);
  });

  test('closes when the focus goes elsewhere', async () => {
    await show();
    await view.click(view.button(LABEL));
    view.field('.composer-input').focus();
    await view.settle();
    assert.equal(panel(), null);
  });
});

suite('the forecast', () => {
  let view: Mounted;
  setup(() => (view = mount()));
  teardown(() => view.unmount());
  const forecast = () => view.find('.footer-forecast');
  const waited = () => new Promise((resolve) => setTimeout(resolve, 350));

  test('shows what sending would cost, and says what it is made of', async () => {
    await view.snapshot([], { usage: usage() });
    assert.equal(
      forecast().title,
      'If it is sent now: 83,000 tokens of input, as the API counts them; $0.034 with an answer as long as those so far',
    );
    assert.equal(forecast().querySelector('[aria-hidden]')?.textContent, '≈ $0.034');
  });

  test('shows tokens where the price is unknown', async () => {
    await view.snapshot([], { usage: usage({ forecast: { tokens: 83_000, nano: null, counted: false } }) });
    assert.equal(forecast().title, 'If it is sent now: about 83,000 tokens of input');
    assert.equal(forecast().querySelector('[aria-hidden]')?.textContent, '≈ 83K tokens');
  });

  test('is asked for when typing pauses, once for all keys', async () => {
    await view.snapshot([]);
    await view.type('a');
    await view.type('ab');
    await waited();
    assert.deepEqual(view.sent, [{ type: 'composer/changed', text: 'ab' }]);
  });
});
