import * as l10n from '@vscode/l10n';
import type { InputView } from '../../protocol/inputs.ts';
import { UserError } from '../errors.ts';
import { toolsFor } from './declareTools.ts';
import type { ChosenModel, PrefixSource } from './prefix.ts';
import { isCodeExecution } from './skills.ts';
import type { ChosenFile } from './tray.ts';

/** Whether requests to this model have a container; what is not known of a model is taken to be so. */
function hasSandbox(source: PrefixSource, model: ChosenModel): boolean {
  return toolsFor(source, model).some(isCodeExecution);
}

/** Files for the container of a model that has none say so before they are sent. */
export function withSandboxCheck(
  inputs: readonly InputView[],
  source: PrefixSource,
  model: ChosenModel,
): readonly InputView[] {
  if (!inputs.some(isForSandbox) || hasSandbox(source, model)) return inputs;
  return inputs.map((input) => (isForSandbox(input) ? { ...input, caution: 'noSandbox' as const } : input));
}

/** Throws `UserError` where files are for the container and the model has none: they would be uploaded for nothing. */
export function checkSandbox(files: readonly ChosenFile[], source: PrefixSource, model: ChosenModel): void {
  const names = files.filter(isForSandbox).map(({ file }) => file.name);
  if (names.length === 0 || hasSandbox(source, model)) return;
  throw new UserError(
    l10n.t(
      '{0} has no code execution here, so there is no container for {1}. Nothing was sent: the message waits above the prompt. Edit it to send the files in the message, or choose another model.',
      model.id,
      names.join(', '),
    ),
  );
}

function isForSandbox({ use }: Pick<ChosenFile, 'use'>): boolean {
  return use === 'container';
}
