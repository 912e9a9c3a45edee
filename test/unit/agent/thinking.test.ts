import assert from 'node:assert/strict';
import {
  EFFORTS,
  resolveThinking,
  roomFor,
  thinkingChoices,
  type Effort,
  type ThinkingConfig,
  type ThinkingWish,
} from '../../../src/core/agent/thinking.ts';
import type { ModelInfo } from '../../../src/core/ports.ts';
import { INFO } from '../../support/scriptedModel.ts';

type Type = 'adaptive' | 'enabled' | 'disabled' | 'between_tools';

function model(types: readonly Type[], efforts: readonly Effort[] = EFFORTS): ModelInfo {
  const all: readonly Type[] = ['adaptive', 'enabled', 'disabled', 'between_tools'];
  return {
    ...INFO,
    thinkingTypes: Object.fromEntries(all.map((type) => [type, types.includes(type)])),
    effort: Object.fromEntries(EFFORTS.map((level) => [level, efforts.includes(level)])),
  };
}

const ADAPTIVE = { type: 'adaptive', display: 'summarized' };
const ALWAYS = model(['adaptive']);
const OPTIONAL = model(['adaptive', 'disabled']);
const BETWEEN = model(['adaptive', 'between_tools']);
const OLD = model(['enabled', 'disabled'], []);
const LIMITED = model(['adaptive', 'disabled'], ['low', 'medium', 'high']);

suite('thinking as a model can have it', () => {
  const rows: readonly (readonly [
    says: string,
    info: ModelInfo | undefined,
    thinking: ThinkingWish['thinking'],
    effort: ThinkingWish['effort'],
    expected: ThinkingConfig,
  ])[] = [
    ['is adaptive with a summary where the model adapts [C69,C71]', ALWAYS, 'auto', 'default', { thinking: ADAPTIVE }],
    ['stays adaptive where it can’t be switched off [C67]', ALWAYS, 'off', 'default', { thinking: ADAPTIVE }],
    ['keeps a high effort where it stays on', ALWAYS, 'off', 'max', { thinking: ADAPTIVE, effort: 'max' }],
    ['is off where that is possible', OPTIONAL, 'off', 'default', { thinking: { type: 'disabled' } }],
    [
      'is off with no effort above high [C68]',
      OPTIONAL,
      'off',
      'max',
      { thinking: { type: 'disabled' }, effort: 'high' },
    ],
    [
      'is between the tools only where the model has that, at no effort above high [C66]',
      BETWEEN,
      'off',
      'xhigh',
      { thinking: { type: 'between_tools' }, effort: 'high' },
    ],
    [
      'has a budget below max_tokens where the model can’t adapt [C69]',
      OLD,
      'auto',
      'high',
      { thinking: { type: 'enabled', budget_tokens: 16_000 } },
    ],
    ['takes the next lower effort', LIMITED, 'auto', 'max', { thinking: ADAPTIVE, effort: 'high' }],
    ['is left to a model of which nothing is known', undefined, 'off', 'default', {}],
    ['passes a wanted effort on to a model of which nothing is known', undefined, 'auto', 'low', { effort: 'low' }],
    ['is left out where no kind of it is known', model([]), 'auto', 'default', {}],
  ];
  for (const [says, info, thinking, effort, expected] of rows) {
    test(says, () => assert.deepStrictEqual(resolveThinking({ thinking, effort }, info, 32_000), expected));
  }

  test('is never sent where its least budget finds no room', () => {
    assert.deepStrictEqual(resolveThinking({ thinking: 'auto', effort: 'default' }, OLD, 2_000), {});
    assert.deepStrictEqual(resolveThinking({ thinking: 'auto', effort: 'default' }, OLD, 4_000), {
      thinking: { type: 'enabled', budget_tokens: 2_000 },
    });
  });

  test('asks for a display only where there is thinking to show [C70]', () => {
    for (const info of [ALWAYS, OPTIONAL, BETWEEN, OLD, LIMITED]) {
      const { thinking } = resolveThinking({ thinking: 'off', effort: 'default' }, info, 32_000);
      const { type, display } = thinking as { readonly type: string; readonly display?: string };
      assert.equal(display, type === 'adaptive' ? 'summarized' : undefined);
    }
  });

  test('has more room at the highest efforts, up to what the model writes', () => {
    assert.equal(roomFor('max', 32_000, INFO), 64_000);
    assert.equal(roomFor('high', 32_000, INFO), 32_000);
    assert.equal(roomFor('xhigh', 32_000, { ...INFO, maxTokens: 40_000 }), 40_000);
    assert.equal(roomFor(undefined, 32_000, undefined), 32_000);
  });
});

suite('what can be chosen about thinking', () => {
  const of = (info: ModelInfo | undefined, thinking: ThinkingWish['thinking'] = 'auto') => {
    const choices = thinkingChoices({ thinking, effort: 'default' }, info);
    return `${choices.thinking.join(' ')} | ${choices.effort.join(' ')}`;
  };

  test('is what makes a difference with the model', () => {
    assert.equal(of(ALWAYS), ' | default low medium high xhigh max');
    assert.equal(of(LIMITED), 'auto off | default low medium high');
    assert.equal(of(OLD), 'auto off | ');
    assert.equal(of(model([], [])), ' | ');
  });

  test('without thinking ends where the model’s effort does', () => {
    assert.equal(of(OPTIONAL, 'off'), 'auto off | default low medium high');
    assert.equal(of(BETWEEN, 'off'), 'auto off | default low medium high');
    assert.equal(of(ALWAYS, 'off'), ' | default low medium high xhigh max');
  });

  test('of a model of which nothing is known is what can be named', () => {
    assert.equal(of(undefined), ' | default low medium high xhigh max');
  });

  test('has an effect: no two choices make the same request', () => {
    for (const info of [ALWAYS, OPTIONAL, BETWEEN, OLD, LIMITED]) {
      const { thinking, effort } = thinkingChoices({ thinking: 'auto', effort: 'default' }, info);
      for (const [key, values] of Object.entries({ thinking, effort })) {
        const made = values.map((value) =>
          JSON.stringify(resolveThinking({ thinking: 'auto', effort: 'default', [key]: value }, info, 32_000)),
        );
        assert.equal(new Set(made).size, made.length, made.join());
      }
    }
  });
});
