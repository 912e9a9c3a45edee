import type { ToolResultBlockParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import type { z } from 'zod';
import type { Effect } from '../approval/effects.ts';
import type { Place, ToolBody } from '../../protocol/rows.ts';
import type { AdvisorWish } from './advisorWish.ts';
import type { WebWish } from './webWish.ts';

/**
 * One file = one tool. A client tool runs here, behind its ports; a server tool runs at Anthropic and is only declared
 * and shown. A tool never sees the session or the loop.
 */
export type AnyTool = ClientTool | ServerTool;

export interface ClientTool<Input = never> {
  readonly kind: 'client';
  /** The API's name of the tool, as calls carry it. */
  readonly name: string;
  /** Tool versions, newest first, where the API types the tool; empty for a schema of our own. */
  readonly versions: readonly string[];
  /** The request's declaration; undefined where it is not wanted. `version` is one of `versions`. */
  declare(version: string | undefined, wish: ToolWish): ToolUnion | undefined;
  /** The same with a schema of our own, where the address refused each of `versions`; without it the tool is off there. */
  plain?(): ToolUnion;
  readonly input: z.ZodType<Input>;
  /** Calls that only read may overlap; all others run one after the other, in source order. */
  readOnly(input: Input): boolean;
  /** A card title for an input that is still streaming or was never run. Must not throw on any input. */
  title(input: unknown): string;
  /**
   * Validates against the world and computes what would happen. Nothing is changed yet. Throws `ToolError` with the
   * text for the model, `CancelledError` on abort.
   */
  prepare(input: Input, signal: AbortSignal): Promise<PreparedCall>;
  /** The text that the file of an edit has now; undefined when the input names none. May reject. */
  textNow?(input: unknown): Promise<string | undefined>;
}

export interface PreparedCall {
  readonly title: string;
  /** Everything that `invoke` may do; the policy decides on these and on nothing else. */
  readonly effects: readonly Effect[];
  readonly preview: ToolBody;
  /** For an edit: what the native diff shows. Absent when there is nothing to show. */
  readonly diff?: DiffPreview;
  /**
   * Does it. `revised` is the diff's right side as the user left it, when they changed it. Returns 'stale' when the
   * world is no longer what the preview showed: nothing was changed, and the caller prepares and asks again.
   * Throws `ToolError` or `CancelledError`.
   */
  invoke(run: ToolRun): Promise<ToolOutcome | 'stale'>;
}

export interface DiffPreview {
  readonly path: string;
  /** Full text before and after, EOLs as in the document. */
  readonly before: string;
  readonly after: string;
  /** Whether the file exists already. */
  readonly exists: boolean;
}

export interface ToolRun {
  readonly signal: AbortSignal;
  readonly revised?: string;
  /** Live output for the card. */
  progress(chunk: string): void;
}

export interface ToolOutcome {
  readonly content: NonNullable<ToolResultBlockParam['content']>;
  readonly isError: boolean;
  readonly body: ToolBody;
  /** Replaces the card's title. */
  readonly title?: string;
}

/** What declarations depend on. */
export interface ToolWish {
  /** The model of the request. */
  readonly model: string;
  readonly web: WebWish;
  readonly advisor: AdvisorWish;
  /** Definitions are deferred: the model needs a search to find them. */
  readonly deferring: boolean;
  /** Code in the container may call tools, in this model (`capabilities.code_execution`). */
  readonly programmatic: boolean;
  /** The user lets that code read the workspace. */
  readonly readWorkspace: boolean;
}

export interface ServerTool {
  readonly kind: 'server';
  readonly name: string;
  readonly versions: readonly string[];
  /** The request's declaration in one of `versions`; undefined where the user does not want the tool. */
  declare(version: string, wish: ToolWish): ToolUnion | undefined;
  /** Where its calls run, as the cards say it. */
  readonly place: Place;
  /** The key in `capabilities.server_tools` that says whether the model has it. */
  readonly capability: string;
  /** Left out where the Models API does not say that the model has it; else only a plain no leaves it out. */
  readonly onlyWhenStated?: true;
  /** Names that `server_tool_use` blocks of this tool carry. */
  readonly calls: readonly string[];
  /** The card for a call whose input is (perhaps partly) known. Must not throw on any input. */
  presentCall(name: string, input: unknown): { readonly title: string; readonly body: ToolBody };
  /** The card once the result is there. `result` is the verbatim result block. Must not throw on any input. */
  presentResult(
    name: string,
    input: unknown,
    result: unknown,
  ): { readonly title: string; readonly body: ToolBody; readonly isError: boolean };
  /** Ids of the files that a result block brought. */
  fileIds(result: unknown): readonly string[];
}

/** A client tool of any input, as the registry holds it: the input is checked by `input` before it is used. */
export function clientTool<Input>(tool: ClientTool<Input>): ClientTool {
  return tool as unknown as ClientTool;
}
