import type { Message } from '@anthropic-ai/sdk/resources/messages/messages';
import type { BatchItem, BatchRecord, BatchResult } from './batchTypes.ts';
import { classifyStop } from '../agent/stopReason.ts';
import { stringAt } from '../base/json.ts';
import { isAnthropic } from '../cost/address.ts';
import type { NewEntry, TurnOutcome } from '../session/entries.ts';
import { answeredId } from '../session/toMessages.ts';
import type { ServerTool } from '../tools/tool.ts';

export interface ItemOfBatch {
  readonly record: Pick<BatchRecord, 'template' | 'baseUrl' | 'title'>;
  readonly item: BatchItem;
  readonly result: BatchResult;
  /** To find the files that an answer brought. */
  readonly servers: readonly Pick<ServerTool, 'fileIds'>[];
  /** Why such a file is not here yet, for the user. */
  readonly notFetched: string;
  random(): string;
}

/** The session that an item of a batch would have been: what was asked and what came of it. It can go on like every other. */
export function sessionOfItem(source: ItemOfBatch): readonly NewEntry[] {
  const { record, item, result } = source;
  const { skills, ...prefix } = record.template;
  const turnId = source.random();
  const messageId = source.random();
  const begin: NewEntry[] = [
    { type: 'titleSet', title: `${item.label} · ${record.title}` },
    {
      ...{ type: 'epochStarted', ...prefix, reason: 'first' },
      ...(skills === undefined ? {} : { skills: skills.map((skill) => ({ ...skill, name: skill.skill_id })) }),
    },
    {
      ...{ type: 'userMessage', content: item.content, text: item.text },
      ...(item.files === undefined ? {} : { files: item.files }),
    },
    { type: 'turnStarted', turnId },
  ];
  return [...begin, ...answerOf(source, messageId), { type: 'turnEnded', turnId, ...endOf(result) }];
}

function answerOf({ record, result, servers, notFetched }: ItemOfBatch, messageId: string): readonly NewEntry[] {
  const { message } = result;
  if (message === undefined) return [];
  const blocks = message.content.map((block, index): NewEntry => ({ type: 'assistantBlock', messageId, index, block }));
  const files = message.content.flatMap((block) => {
    const callId = answeredId(block);
    return callId === undefined
      ? []
      : servers.flatMap((tool) => tool.fileIds(block)).map((fileId) => ({ callId, fileId }));
  });
  const apiMessageId = stringAt(message, 'id') ?? '';
  const model = stringAt(message, 'model') ?? record.template.model;
  const finished: NewEntry = {
    ...{ type: 'messageFinished', messageId, apiMessageId, model },
    ...{ stopReason: stopReasonOf(message), stopDetails: message.stop_details },
    container: containerOf(message.container),
    // Half the price, whether or not the answer says so.
    usage: { ...message.usage, service_tier: 'batch' } as unknown as NonNullable<
      Extract<NewEntry, { type: 'messageFinished' }>['usage']
    >,
    ...(isAnthropic(record.baseUrl) ? {} : { elsewhere: true as const }),
  };
  const refused = message.stop_reason === 'refusal';
  return [
    ...blocks,
    finished,
    ...(refused ? [{ type: 'messageDiscarded', messageId, reason: 'refusal' } as const] : []),
    ...files.map(({ callId, fileId }): NewEntry => {
      const unknown = { name: fileId, mimeType: 'application/octet-stream', size: 0, failure: notFetched };
      return { type: 'attachmentStored', callId, fileId, ...unknown };
    }),
  ];
}

function stopReasonOf(message: Message): Message['stop_reason'] {
  return (stringAt(message, 'stop_reason') ?? null) as Message['stop_reason'];
}

/** The log's reader expects both. */
function containerOf(container: unknown): NonNullable<Message['container']> | null {
  const id = stringAt(container, 'id');
  if (id === undefined) return null;
  return {
    skills: null,
    ...(container as Message['container']),
    id,
    expires_at: stringAt(container, 'expires_at') ?? '',
  };
}

type End = Pick<Extract<NewEntry, { type: 'turnEnded' }>, 'outcome' | 'failure' | 'detail'>;

function endOf({ outcome, message, failure }: BatchResult): End {
  if (outcome === 'canceled') return { outcome: 'cancelled' };
  if (message === undefined)
    return { outcome: 'failed', failure: failure ?? { kind: 'timeout', message: `The request ${outcome}.` } };
  const detail = stringAt(message.stop_details, 'explanation');
  const stopReason = stopReasonOf(message);
  const end = OUTCOMES[classifyStop(stopReason, 0)];
  if (end === 'unknownStop') return { outcome: end, detail: stopReason ?? 'null' };
  return { outcome: end, ...(detail === undefined ? {} : { detail }) };
}

/** A batch does not go on by itself after a pause: the user can. */
const OUTCOMES: Readonly<Record<ReturnType<typeof classifyStop>, TurnOutcome>> = {
  done: 'done',
  truncated: 'truncated',
  discard: 'refused',
  resume: 'limit',
  runTools: 'unknownStop',
  unknown: 'unknownStop',
};
