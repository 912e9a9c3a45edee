import * as l10n from '@vscode/l10n';
import type { Decision, Effect, PathFacts } from './effects.ts';
import {
  foldNames,
  isInGit,
  isOddSpelling,
  looksSecret,
  protectedKind,
  type FoldedNames,
  type ProtectedKind,
} from './paths.ts';

/**
 * Allow, ask or deny, from what a call would do and nothing else. Deny beats ask beats allow. Never throws.
 * `trusted` is whether the workspace is: without trust only a call without effects is allowed.
 */
export function decide(effects: readonly Effect[], mode: 'ask', trusted: boolean): Decision {
  const [first, ...others] = effects.map((effect) => judge(effect, mode));
  if (!first) return { verdict: 'allow', rule: l10n.t('It changes nothing.') };
  if (!trusted) {
    return {
      verdict: 'deny',
      rule: l10n.t('This workspace is not trusted: nothing is read, changed or run before you trust it.'),
    };
  }
  const { verdict, rule } = others.reduce((a, b) => (weight(b) > weight(a) ? b : a), first);
  return { verdict, rule };
}

const commandVerdict = { ask: 'ask' } as const;

/** `special` marks a rule that tells the user more than the general one; of several equal verdicts it is shown. */
interface Judgement extends Decision {
  readonly special?: boolean;
}

function weight({ verdict, special }: Judgement): number {
  return { allow: 0, ask: 2, deny: 4 }[verdict] + (special ? 1 : 0);
}

function judge(effect: Effect, mode: 'ask'): Judgement {
  switch (effect.kind) {
    case 'read':
      return judgeRead(effect.path);
    case 'write':
      return judgeWrite(effect.path, effect.creates);
    case 'execute':
      return judgeExecute(effect.command, mode);
  }
}

function judgeRead(path: PathFacts): Judgement {
  if (looksSecret(namesOf(path))) {
    return special('ask', l10n.t('{0} looks like a file with credentials: reading it asks each time.', path.display));
  }
  if (!path.inside) return special('ask', l10n.t('Reading outside the workspace asks each time.'));
  if (isOddSpelling(path.given)) return special('ask', l10n.t('The path is spelled in an unusual way.'));
  return { verdict: 'allow', rule: l10n.t('Reading inside the workspace is allowed.') };
}

function judgeWrite(path: PathFacts, creates: boolean): Judgement {
  if (!path.inside) {
    return special(
      'deny',
      l10n.t('Files outside the workspace are never changed, nor files behind a link that leaves it.'),
    );
  }
  const names = namesOf(path);
  if (isInGit(names)) {
    return special('deny', l10n.t('Files in .git are never changed: git runs what they say.'));
  }
  const kind = protectedKind(names);
  if (kind) return special('ask', protectedRule(kind, path.display));
  if (looksSecret(names)) {
    return special('ask', l10n.t('{0} looks like a file with credentials: changing it asks each time.', path.display));
  }
  if (isOddSpelling(path.given)) return special('ask', l10n.t('The path is spelled in an unusual way.'));
  return {
    verdict: 'ask',
    rule: creates ? l10n.t('Creating a file asks each time.') : l10n.t('Changing a file asks each time.'),
  };
}

function judgeExecute(command: string, mode: 'ask'): Judgement {
  if (/[\p{Cf}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}/u.test(command)) {
    return special('ask', l10n.t('The command contains hidden or control characters: look closely.'));
  }
  return { verdict: commandVerdict[mode], rule: l10n.t('Running a command asks each time.') };
}

function special(verdict: Decision['verdict'], rule: string): Judgement {
  return { verdict, rule, special: true };
}

/** Outside the roots there are no segments below one; the canonical path has them all. */
function namesOf(path: PathFacts): FoldedNames {
  return foldNames(path.inside ? path.segments : path.canonical.split(/[/\\]/));
}

function protectedRule(kind: ProtectedKind, name: string): string {
  switch (kind) {
    case 'editor':
      return l10n.t('{0} can make the editor run programs: changing it asks each time.', name);
    case 'agent':
      return l10n.t('{0} gives instructions or tools to AI agents: changing it asks each time.', name);
    case 'git':
      return l10n.t('{0} can make git run programs: changing it asks each time.', name);
    case 'ci':
      return l10n.t('{0} runs on your build servers: changing it asks each time.', name);
    case 'hook':
      return l10n.t('{0} runs with git commands: changing it asks each time.', name);
    case 'environment':
      return l10n.t('{0} sets credentials or the environment of programs: changing it asks each time.', name);
    case 'shell':
      return l10n.t('{0} runs whenever a shell starts: changing it asks each time.', name);
    case 'package':
      return l10n.t('{0} decides which programs package managers run: changing it asks each time.', name);
  }
}
