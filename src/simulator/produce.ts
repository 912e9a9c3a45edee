import { randomBytes } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import type {
  BashCodeExecutionToolResultBlock,
  CodeExecutionToolResultBlock,
  ContentBlock,
  Container as ContainerInfo,
  ServerToolUseBlock,
  TextEditorCodeExecutionToolResultBlock,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { extend } from './chain.ts';
import { runContainerEditor } from './containerEditor.ts';
import type { FileStore } from './fileStore.ts';
import { connectorBlocks, connectorResult } from './connectors.ts';
import { sign } from './issued.ts';
import { asArray, isObject, stringOf } from './json.ts';
import type { Json } from './json.ts';
import type { Container, Sandbox } from './sandbox.ts';
import type {
  BashStep,
  EditorStep,
  ProgramCallStep,
  ProgramResultStep,
  ProgramStep,
  Reply,
  ServerResult,
  Step,
  ToolUseStep,
  WebFetchStep,
  WebSearchStep,
} from './scenario.ts';
import type { SkillStore } from './skillsApi.ts';
import { messagesOf, typeOf } from './validate/context.ts';
import { declaresServerTool } from './validate/tools.ts';
import type { Turn } from './turn.ts';
import { citation, fetchPage, search, toolNamed } from './web.ts';

export interface Machine {
  readonly sandbox: Sandbox;
  readonly files: FileStore;
  readonly skills: SkillStore;
  /** File names wanted by deferred commands, by the id of the call. */
  readonly deferredNames: Map<string, BashStep['fileNames']>;
}

export interface ProduceOptions {
  readonly model: string;
  /** Chain hash of the request: what the first block is bound to. */
  readonly before: string;
  readonly thinking: 'off' | 'omitted' | 'summarized';
  readonly signal: AbortSignal;
}

/** A finished block, with the raw JSON text to stream where it is a call; or a pause. */
export type Piece =
  | { readonly kind: 'block'; readonly block: ContentBlock; readonly raw?: string }
  | { readonly kind: 'wait'; readonly ms: number };

/** Makes the blocks of one response, one by one, running its server calls on the way. */
export class Producer {
  readonly #machine: Machine;
  readonly #turn: Turn;
  readonly #options: ProduceOptions;
  readonly #results: ServerResult[] = [];
  #before: string;
  #container: Container | undefined;
  /** The call whose code is running. */
  #program: string | undefined;

  constructor(machine: Machine, turn: Turn, options: ProduceOptions) {
    this.#machine = machine;
    this.#turn = turn;
    this.#options = options;
    this.#before = options.before;
  }

  /** The container that the response used. */
  get container(): ContainerInfo | null {
    const container = this.#container;
    if (!container) return null;
    return { id: container.id, expires_at: new Date(container.expiresAt).toISOString(), skills: this.#skills() };
  }

  #skills(): ContainerInfo['skills'] {
    const { container } = this.#turn.body;
    const skills = isObject(container) ? asArray(container['skills']).filter(isObject) : [];
    if (skills.length === 0) return null;
    return skills.map((skill) => {
      const type = skill['type'] === 'custom' ? 'custom' : 'anthropic';
      const id = stringOf(skill['skill_id']);
      const version = typeof skill['version'] === 'string' ? skill['version'] : undefined;
      return { type, skill_id: id, version: this.#machine.skills.resolve(type, id, version) };
    });
  }

  /** Chain hash after the blocks made so far. */
  get end(): string {
    return this.#before;
  }

  async *run(reply: Reply): AsyncGenerator<Piece> {
    for (const call of this.#turn.pending) {
      if (call['name'] === 'code_execution') this.#program = stringOf(call['id']);
      else if (call['type'] === 'mcp_tool_use' || call['name'] === 'advisor')
        yield this.#emit(connectorResult(call) as unknown as ContentBlock);
      else yield this.#emit(await this.#execute(call));
    }
    for (const step of reply.steps) {
      const steps: readonly Step[] = typeof step === 'function' ? step(this.#results) : [step];
      for (const item of steps) yield* this.#step(item);
    }
  }

  async *#step(step: Step): AsyncGenerator<Piece> {
    switch (step.type) {
      case 'wait':
        yield { kind: 'wait', ms: step.ms };
        return;
      case 'thinking':
        if (this.#options.thinking !== 'off') yield this.#emit(this.#thinking(step.text, step.redacted === true));
        return;
      case 'text':
        yield this.#emit({ type: 'text', text: step.text, citations: step.cites?.map(citation) ?? null });
        return;
      case 'tool_use':
        yield this.#emit(toolUse(step), step.raw);
        return;
      case 'expire_container':
        if (this.#container) this.#machine.sandbox.expire(this.#container.id, step.refusal);
        return;
      case 'block':
        yield this.#emit(step.block as unknown as ContentBlock);
        return;
      case 'bash_code_execution':
      case 'text_editor_code_execution':
        yield* this.#serverCall(step);
        return;
      case 'mcp_call':
      case 'mcp_listing':
      case 'advisor':
      case 'tool_search':
        for (const block of connectorBlocks(step, newId)) yield this.#emit(block);
        return;
      case 'web_search':
      case 'web_fetch':
        yield* this.#webCall(step);
        return;
      case 'program':
      case 'program_call':
      case 'program_result':
        yield this.#emit(await this.#programStep(step));
    }
  }

  async *#webCall(step: WebSearchStep | WebFetchStep): AsyncGenerator<Piece> {
    const { body } = this.#turn;
    if (!declaresServerTool(body, step.type)) {
      const text = `The request declares no ${step.type} tool, so the scripted step is left out.`;
      yield this.#emit({ type: 'text', text, citations: null });
      return;
    }
    const inCode = step.type === 'web_search' && step.inCode === true;
    if (inCode)
      yield this.#emit(await this.#programStep({ type: 'program', code: `search(${JSON.stringify(step.query)})` }));
    const caller = this.#caller();
    const id = `srvtoolu_${newId()}`;
    const input = step.type === 'web_search' ? { query: step.query } : { url: step.url };
    yield this.#emit({ type: 'server_tool_use', id, name: step.type, input, caller } satisfies ServerToolUseBlock);
    const tool = toolNamed(body, step.type);
    const result =
      step.type === 'web_search'
        ? ({ type: 'web_search_tool_result', tool_use_id: id, content: search(step.query, tool), caller } as const)
        : ({
            type: 'web_fetch_tool_result',
            tool_use_id: id,
            content: fetchPage(step.url, tool, JSON.stringify(body['messages'])),
            caller,
          } as const);
    yield this.#emit(result);
    if (inCode) yield this.#emit(await this.#programStep({ type: 'program_result', stdout: '' }, true));
  }

  /** Code that Claude wrote runs in the container until its result; what it calls in between is called by it. */
  async #programStep(
    step: ProgramStep | ProgramCallStep | ProgramResultStep,
    encrypted = false,
  ): Promise<ContentBlock> {
    await this.#useContainer();
    if (step.type === 'program') {
      this.#program = `srvtoolu_${newId()}`;
      const call = { type: 'server_tool_use', id: this.#program, name: 'code_execution', input: { code: step.code } };
      return { ...call, caller: { type: 'direct' } } as ServerToolUseBlock;
    }
    if (step.type === 'program_call') {
      const { name, input } = step;
      return { type: 'tool_use', id: `toolu_${newId()}`, name, input, caller: this.#caller() } satisfies ToolUseBlock;
    }
    const outcome = { stderr: '', return_code: 0, content: [] };
    const result = {
      type: 'code_execution_tool_result',
      tool_use_id: this.#program ?? '',
      content: encrypted
        ? { type: 'encrypted_code_execution_result', encrypted_stdout: randomBytes(32).toString('base64'), ...outcome }
        : { type: 'code_execution_result', stdout: step.stdout, ...outcome },
    } satisfies CodeExecutionToolResultBlock;
    this.#program = undefined;
    return result;
  }

  #caller(): ToolUseBlock['caller'] {
    const program = this.#program;
    return program === undefined ? { type: 'direct' } : { type: 'code_execution_20260120', tool_id: program };
  }

  async *#serverCall(step: BashStep | EditorStep): AsyncGenerator<Piece> {
    if (!declaresServerTool(this.#turn.body, step.type)) {
      const text = 'The request declares no code execution tool, so the scripted sandbox step is left out.';
      yield this.#emit({ type: 'text', text, citations: null } satisfies ContentBlock);
      return;
    }
    const call = {
      type: 'server_tool_use',
      id: `srvtoolu_${newId()}`,
      name: step.type,
      input: step.type === 'bash_code_execution' ? { command: step.command } : step.input,
      caller: { type: 'direct' },
    } satisfies ServerToolUseBlock;
    yield this.#emit(call);
    const names = step.type === 'bash_code_execution' ? step.fileNames : undefined;
    if (step.deferred) {
      if (names) this.#machine.deferredNames.set(call.id, names);
      return;
    }
    const timeout = step.type === 'bash_code_execution' ? step.timeoutMs : undefined;
    yield this.#emit(await this.#execute(call, names, timeout));
  }

  async #execute(call: Json, names?: BashStep['fileNames'], timeoutMs?: number): Promise<ServerResult> {
    const id = stringOf(call['id']);
    const input = isObject(call['input']) ? call['input'] : {};
    const container = await this.#useContainer();
    const fileNames = names ?? this.#machine.deferredNames.get(id);
    const result =
      call['name'] === 'bash_code_execution'
        ? ({
            type: 'bash_code_execution_tool_result',
            tool_use_id: id,
            content: await this.#bash(container, stringOf(input['command']), { fileNames, timeoutMs }),
          } satisfies BashCodeExecutionToolResultBlock)
        : ({
            type: 'text_editor_code_execution_tool_result',
            tool_use_id: id,
            content: await runContainerEditor(container, input),
          } satisfies TextEditorCodeExecutionToolResultBlock);
    this.#results.push(result);
    return result;
  }

  async #bash(
    container: Container,
    command: string,
    options: { readonly fileNames: BashStep['fileNames']; readonly timeoutMs: number | undefined },
  ): Promise<BashCodeExecutionToolResultBlock['content']> {
    const { signal } = this.#options;
    const ran = await this.#machine.sandbox.run(container, command, { timeoutMs: options.timeoutMs, signal });
    if (ran.timedOut) {
      return { type: 'bash_code_execution_tool_result_error', error_code: 'execution_time_exceeded' };
    }
    const content = [];
    for (const output of ran.outputs) {
      const name = path.basename(output);
      const file = await this.#machine.files.capture(output, options.fileNames?.[name] ?? name);
      content.push({ type: 'bash_code_execution_output', file_id: file.id } as const);
    }
    const { stdout, stderr, returnCode } = ran;
    return { type: 'bash_code_execution_result', stdout, stderr, return_code: returnCode, content };
  }

  /** The container of the request, or a new one; with the files that the conversation uploads. */
  async #useContainer(): Promise<Container> {
    if (this.#container) return this.#container;
    const { sandbox, files } = this.#machine;
    const wanted = this.#turn.body['container'];
    const id = isObject(wanted) ? stringOf(wanted['id']) : stringOf(wanted);
    const container = sandbox.use(id) ?? (await sandbox.create());
    this.#container = container;
    for (const { type, skill_id, version } of this.#skills() ?? [])
      await sandbox.mountSkills(container, this.#machine.skills.files(type, skill_id, version));
    for (const message of messagesOf(this.#turn.body)) {
      for (const block of message.blocks) {
        const file = typeOf(block) === 'container_upload' ? files.get(stringOf(block['file_id'])) : undefined;
        if (!file || container.mounted.has(file.id)) continue;
        container.mounted.add(file.id);
        await copyFile(files.pathOf(file.id), path.join(container.directory, path.basename(file.filename)));
      }
    }
    return container;
  }

  #thinking(text: string, redacted: boolean): ContentBlock {
    const shown = this.#options.thinking === 'summarized' ? text : '';
    const signature = sign(this.#options.model, this.#before, redacted ? '' : shown);
    return redacted ? { type: 'redacted_thinking', data: signature } : { type: 'thinking', thinking: shown, signature };
  }

  #emit(block: ContentBlock, raw?: string): Piece {
    const seen = raw === undefined ? block : { ...block, input: parsedInput(raw) };
    this.#before = extend(this.#before, 'assistant', seen as unknown as Json);
    return raw === undefined ? { kind: 'block', block } : { kind: 'block', block, raw };
  }
}

function toolUse(step: ToolUseStep): ToolUseBlock {
  const { name, input } = step;
  return { type: 'tool_use', id: step.id ?? `toolu_${newId()}`, name, input, caller: { type: 'direct' } };
}

/** What a client makes of a streamed input. */
function parsedInput(raw: string): Json {
  try {
    const value: unknown = JSON.parse(raw === '' ? '{}' : raw);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function newId(): string {
  return `01${randomBytes(11).toString('hex')}`;
}
