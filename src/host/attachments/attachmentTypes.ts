import type { Disposable } from '../../core/base/disposable.ts';
import type { LoggedFile } from '../../node/attachments/inventory.ts';
import type { Storage } from '../../node/attachments/storage.ts';
import type { AttachmentActions } from './attachmentActions.ts';
import type { Previewer } from '../preview/previewEditor.ts';
import type { Library } from './library.ts';
import type { StoragePage } from './storagePage.ts';

/** Everything about the files that server tools made. */
export interface Attachments extends Disposable {
  readonly library: Library;
  readonly actions: AttachmentActions;
  readonly storage: Storage;
  readonly previewer: Previewer;
  readonly storagePage: StoragePage;
  /** A file of the session that is shown. Throws `UserError` for ids that it never had. */
  shown(fileId: string): LoggedFile;
}
