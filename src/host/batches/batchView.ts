/** The id of the tree in the manifest. */
export const BATCHES_VIEW = 'loopdock.batches';
