/**
 * The scenario for tests: the user's own prompt says what the model does. A prompt that holds `#sim` followed by a JSON
 * object is a script; anything else gets a short text answer.
 *
 *     Please do it. #sim {"replies": [
 *       {"steps": [{"type": "text", "text": "Looking."},
 *                  {"type": "tool_use", "name": "bash", "input": {"command": "ls"}}]},
 *       {"steps": [{"type": "text", "text": "It said: {{result}}"}]}
 *     ]}
 *
 * `replies[n]` answers the n-th request after the prompt; after the last one the answer is the text "Done.". A reply is
 * a `Reply` of ../scenario.ts as JSON:
 *
 * - `steps`: `{"type": …}` of
 *   `text {text, cites?}` · `thinking {text, redacted?}` · `tool_use {name, input, id?, raw?}` (`raw` is streamed instead of the
 *   input's JSON: cut or malformed input) · `bash_code_execution {command, timeoutMs?, deferred?, fileNames?}` and
 *   `text_editor_code_execution {input, deferred?}` (really run in the container; `deferred` leaves the call open, for
 *   `pause_turn` and mixed groups) · `web_search {query, inCode?}` · `web_fetch {url}` · `program {code}`,
 *   `program_call {name, input}`, `program_result {stdout}` (code that calls client tools) ·
 *   `mcp_call {server, name, input, result?, isError?, deferred?}` · `mcp_listing {server, tools}` ·
 *   `advisor {advice?, error?, deferred?}` · `tool_search {query, found}` · `expire_container {refusal?}`
 *   (the container is gone for the next request: `expired` 400, `missing` 404, `broken` 500) · `block {block}` (any block,
 *   verbatim) · `wait {ms}`.
 * - `stop`: `{"reason": "max_tokens" | "pause_turn" | "refusal" | "stop_sequence" | …, "sequence"?, "details"?}`;
 *   without it `tool_use` or `end_turn`, by the steps.
 * - `faults`: list of `Fault` of ../faults.ts with `attempts` (default 1): how many first tries of the same request it
 *   hits. `{"kind":"status","status":529,"headers":{"retry-after":"1"}}` · `{"kind":"cut","afterEvents":4}` ·
 *   `{"kind":"error","afterEvents":4,"type":"overloaded_error"}` · `{"kind":"insert","afterEvents":2,"event":{…}}` · …
 *
 * A reply may also be a list of replies: the first is for the first try of that request, the next for its repetition,
 * and so on (a `max_tokens` cut first, the whole answer then).
 *
 * In every string of a reply `{{result}}` is the text of the newest tool result, `{{result:0}}` the one of the first
 * call after the prompt (and so on), `{{prompt}}` the prompt's text before `#sim`.
 */
import { isObject } from '../json.ts';
import type { Json } from '../json.ts';
import type { Reply, Scenario } from '../scenario.ts';
import type { Turn } from '../turn.ts';

export const scripted: Scenario = { name: 'scripted', rules: [{ reply: scriptedReply }] };

/** A prompt that makes this scenario give these replies. */
export function scriptPrompt(text: string, replies: readonly (Reply | readonly Reply[])[]): string {
  return `${text} #sim ${JSON.stringify({ replies })}`;
}

function scriptedReply(turn: Turn): Reply {
  const script = readScript(askedOf(turn));
  if (script === undefined) return say(`Simulated answer to: ${turn.prompt.slice(0, 200)}`);
  if (typeof script === 'string') return say(`The script after #sim can't be read: ${script}`);
  const entry = script.replies[turn.step];
  const tries: readonly unknown[] = Array.isArray(entry) ? entry : [entry];
  const chosen = tries[turn.attempt] ?? tries.at(-1);
  if (!isObject(chosen)) return say('Done.');
  const filled = fill(chosen, turn, script.text) as Partial<Reply>;
  return { ...filled, steps: filled.steps ?? [] };
}

/** What the user asked: a client may add notes of its own behind it, in brackets. */
function askedOf({ prompt, earlier }: Turn): string {
  const isNote = /^\[[^]*\]$/.test(prompt.trim());
  return isNote ? (earlier.at(-1)?.prompt ?? prompt) : prompt;
}

function say(text: string): Reply {
  return { steps: [{ type: 'text', text }] };
}

interface Script {
  readonly text: string;
  readonly replies: readonly unknown[];
}

/** Undefined without a script; the reason when it is malformed. */
function readScript(prompt: string): Script | string | undefined {
  const mark = prompt.lastIndexOf('#sim');
  const start = mark < 0 ? -1 : prompt.indexOf('{', mark);
  if (start < 0) return undefined;
  try {
    const parsed: unknown = JSON.parse(prompt.slice(start, objectEnd(prompt, start)));
    if (!isObject(parsed) || !Array.isArray(parsed['replies'])) return 'no list of replies';
    return { text: prompt.slice(0, mark).trim(), replies: parsed['replies'] };
  } catch (error) {
    return (error as Error).message;
  }
}

/** Where the JSON object that begins at `start` ends, so that other text may follow. */
function objectEnd(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (quoted) {
      if (character === '\\') index += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return text.length;
}

function fill(value: unknown, turn: Turn, text: string): unknown {
  if (typeof value === 'string') return fillText(value, turn, text);
  if (Array.isArray(value)) return value.map((item) => fill(item, turn, text));
  if (!isObject(value)) return value;
  const result: Json = {};
  for (const [key, field] of Object.entries(value)) result[key] = fill(field, turn, text);
  return result;
}

function fillText(value: string, turn: Turn, text: string): string {
  const results = turn.calls.filter((call) => call.result !== undefined);
  return value
    .replaceAll('{{prompt}}', () => text)
    .replaceAll('{{result}}', () => results.at(-1)?.result ?? '')
    .replaceAll(/\{\{result:(\d+)\}\}/g, (_, index: string) => results[Number(index)]?.result ?? '');
}
