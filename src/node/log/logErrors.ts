import * as l10n from '@vscode/l10n';
import { UserError } from '../../core/errors.ts';
import { errorCode } from './logFs.ts';

/** What the user reads when the disk refuses. A `UserError` goes through as it is. */
export function diskError(error: unknown): UserError {
  if (error instanceof UserError) return error;
  return new UserError(sentence(errorCode(error)), { cause: error });
}

function sentence(code: string): string {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return l10n.t(
        'The disk is full, so this could not be saved. Everything before it is kept. Free some space and try again.',
      );
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return l10n.t(
        'The folder of the sessions can’t be written ({0}), so this could not be saved. Everything before it is kept.',
        code,
      );
    default:
      return l10n.t(
        'This could not be saved ({0}). Everything before it is kept. Try again.',
        code === '' ? '?' : code,
      );
  }
}
