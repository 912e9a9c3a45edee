/** What a call would do, as plain data. Decisions are made on these and never on what the model says about them. */
export type Effect =
  | { readonly kind: 'read'; readonly path: PathFacts }
  | { readonly kind: 'write'; readonly path: PathFacts; readonly creates: boolean }
  | { readonly kind: 'execute'; readonly command: string; readonly cwd: string };

/** A path after canonicalisation (links resolved, case and `..` folded). The host computes it; the policy judges it. */
export interface PathFacts {
  /** As the model wrote it. */
  readonly given: string;
  /** Relative to its root with `/`, for cards and results; the absolute path when outside. */
  readonly display: string;
  /** Canonical absolute path; for untitled documents the URI. */
  readonly canonical: string;
  /** Inside one of the workspace's roots, judged on the canonical path, segment by segment. */
  readonly inside: boolean;
  /** Canonical segments below the root, for the protected-name rules. */
  readonly segments: readonly string[];
  readonly exists: boolean;
}

export interface Decision {
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** The rule in words, shown on the card and written to the log. */
  readonly rule: string;
}
