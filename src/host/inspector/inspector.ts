import * as vscode from 'vscode';
import { mcpServerOf } from '../../core/base/mcpToolset.ts';
import { buildBody, type McpServers } from '../../api/request.ts';
import { requestAt, requestOfRow, requestsOf, type InspectedRequest } from '../../core/agent/inspect.ts';
import { stringAt } from '../../core/base/json.ts';
import { redact, redactKeys } from '../../core/base/redact.ts';
import { CancelledError, UserError } from '../../core/errors.ts';
import type { SessionLog } from '../../core/ports.ts';
import type { KeptStreams, RecordedStream } from '../../node/streams/recorder.ts';
import type { Services } from '../services.ts';
import { readSettings } from '../settings.ts';
import { promptTokens } from '../../core/session/promptTokens.ts';
import type { Inspector } from './inspectorTypes.ts';
import { curlOf, renderAnswer, renderRequest } from './render.ts';

const SCHEME = 'loopdock-request';

interface Subject {
  readonly log: SessionLog;
  readonly request: InspectedRequest;
}

interface Action extends vscode.QuickPickItem {
  readonly run: (subject: Subject) => unknown;
}

export function createInspector(services: Services, streams: KeptStreams): Inspector {
  const pages = createPages((text) => redact(text, services.credentials.known()));
  const actions = createActions(services, streams, pages);
  return {
    async inspect(target) {
      const log = services.agent().controller.log();
      if (log === undefined) throw new UserError(vscode.l10n.t('This session has no requests yet.'));
      const request = named(log, target) ?? (await pickRequest(log));
      const title = vscode.l10n.t('Request of {0}', timeOf(request));
      const action = await vscode.window.showQuickPick(actions, { title });
      await action?.run({ log, request });
    },
    dispose() {
      pages.dispose();
    },
  };
}

interface Pages extends vscode.Disposable {
  uri(request: InspectedRequest, name: string, text: string): vscode.Uri;
  show(request: InspectedRequest, name: string, text: string): Promise<void>;
}

/** Virtual documents, kept while they are open. */
function createPages(clean: (text: string) => string): Pages {
  const texts = new Map<string, string>();
  const provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? '',
  });
  const closing = vscode.workspace.onDidCloseTextDocument(({ uri }) => void texts.delete(uri.toString()));
  const uri: Pages['uri'] = ({ messageId }, name, text) => {
    const made = vscode.Uri.from({ scheme: SCHEME, path: `/${messageId}/${name}` });
    texts.set(made.toString(), clean(text));
    return made;
  };
  return {
    uri,
    async show(request, name, text) {
      const document = await vscode.workspace.openTextDocument(uri(request, name, text));
      await vscode.window.showTextDocument(document, { preview: true });
    },
    dispose() {
      provider.dispose();
      closing.dispose();
    },
  };
}

function createActions(services: Services, streams: KeptStreams, pages: Pages): readonly Action[] {
  return [
    {
      label: vscode.l10n.t('Show Request'),
      description: vscode.l10n.t('as it was sent, with the cache marked'),
      run: async (subject) => {
        const { body } = await bodyOf(services, subject);
        const { request } = subject;
        await pages.show(request, 'request.jsonc', renderRequest(body, request.finished?.usage));
      },
    },
    {
      label: vscode.l10n.t('Show Event Stream'),
      description: vscode.l10n.t('as it came'),
      run: async ({ request }) => pages.show(request, 'stream.txt', await streamText(streams, request)),
    },
    {
      label: vscode.l10n.t('Copy as curl'),
      description: vscode.l10n.t('with $ANTHROPIC_API_KEY in the place of the key'),
      run: async (subject) => vscode.env.clipboard.writeText(await curlText(services, subject)),
    },
    {
      label: vscode.l10n.t('Send Again in a New Session'),
      description: vscode.l10n.t('a copy of this session up to that request; this one stays as it is'),
      run: ({ log, request }) => services.agent().branch(log.header, log.entries().slice(0, request.position)),
    },
    {
      label: vscode.l10n.t('Compare with Another Answer…'),
      run: async ({ log, request }) => compare(pages, await pickRequest(log, request.messageId), request),
    },
  ];
}

async function compare(pages: Pages, left: InspectedRequest, right: InspectedRequest): Promise<void> {
  const [from, to] = [left, right].map((request) => {
    const text = renderAnswer(request);
    return pages.uri(request, `${timeOf(request).replaceAll(':', '.')}.md`, text);
  });
  const title = vscode.l10n.t('Two answers: {0} ↔ {1}', timeOf(left), timeOf(right));
  await vscode.commands.executeCommand('vscode.diff', from, to, title);
}

function named(log: SessionLog, target: unknown): InspectedRequest | undefined {
  const row = stringAt(target, 'row');
  if (row !== undefined) return requestOfRow(log.entries(), row);
  const id = stringAt(target, 'messageId');
  return requestsOf(log.entries()).find(({ messageId }) => messageId === id);
}

/** Newest first. Throws `CancelledError` when none is chosen, `UserError` when there is none. */
async function pickRequest(log: SessionLog, except?: string): Promise<InspectedRequest> {
  const requests = requestsOf(log.entries()).filter(({ messageId }) => messageId !== except);
  if (requests.length === 0) throw new UserError(vscode.l10n.t('This session has no other requests.'));
  const items = requests.reverse().map((request) => ({ ...itemOf(request), request }));
  const title = except === undefined ? vscode.l10n.t('Requests of this session') : vscode.l10n.t('Compare with');
  const choice = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  if (choice === undefined) throw new CancelledError();
  return choice.request;
}

function itemOf(request: InspectedRequest): vscode.QuickPickItem {
  const usage = request.finished?.usage;
  const input = usage && promptTokens(usage);
  const outcome = outcomeOf(request);
  return {
    label: timeOf(request),
    description: `${request.finished?.model ?? request.model} · ${outcome}`,
    ...(usage ? { detail: vscode.l10n.t('{0} tokens in, {1} out', input ?? 0, usage.output_tokens) } : {}),
  };
}

function outcomeOf({ finished, ended, failed }: InspectedRequest): string {
  const status = failed?.failure.status;
  if (failed)
    return status === undefined
      ? failed.failure.kind
      : `${String(status)} ${failed.failure.type ?? failed.failure.kind}`;
  return finished?.stopReason ?? ended?.reason ?? vscode.l10n.t('without an end');
}

function timeOf({ at }: InspectedRequest): string {
  return new Date(at).toLocaleTimeString();
}

async function bodyOf(services: Services, { log, request }: Subject) {
  const { baseUrl } = await services.credentials.connection();
  const sent = requestAt(log.entries(), request, baseUrl);
  const body = sent && buildBody(sent, mcpServers(sent.tools));
  if (!sent || !body?.ok) throw new UserError(vscode.l10n.t('This request can not be put together from the session.'));
  return { baseUrl, body: body.json, betas: sent.betas };
}

/** As the setting has them, with a variable in place of the token. */
function mcpServers(tools: readonly unknown[]): McpServers {
  const known = new Map(readSettings().mcp.servers.map(({ name, url }) => [name, url]));
  const names = tools.flatMap((tool) => mcpServerOf(tool) ?? []);
  return Object.fromEntries(names.map((name) => [name, { url: known.get(name) ?? '', token: `$MCP_TOKEN_${name}` }]));
}

async function curlText(services: Services, subject: Subject): Promise<string> {
  const { headers, keyHeader } = readSettings();
  const text = curlOf({ ...(await bodyOf(services, subject)), headers, keyHeader });
  // What certainly is one: the command has to be as good as it was, and names headers.
  return redactKeys(text, services.credentials.known());
}

async function streamText(streams: KeptStreams, request: InspectedRequest): Promise<string> {
  const { finished, ended, failed } = request;
  if (failed !== undefined)
    throw new UserError(vscode.l10n.t('This request got no answer: {0}', failed.failure.message));
  const ids = [finished?.requestId, finished?.apiMessageId, ended?.requestId].filter(
    (id) => id !== undefined && id !== '',
  );
  const belongs = ({ requestId, text }: RecordedStream) =>
    ids.some((id) => id !== undefined && (requestId === id || text.includes(`"${id}"`)));
  const found = ids.length === 0 ? [] : await streams.find(belongs);
  const [stream] = found;
  if (stream) return stream.cut === 0 ? stream.text : `${stream.text}\n\n${cutNote(stream.cut)}`;
  const why = ended === undefined ? '' : ` ${vscode.l10n.t('The answer has no id by which it could be found.')}`;
  throw new UserError(
    vscode.l10n.t(
      'The event stream of this answer is not kept. Only the newest are, and none while "loopdock.inspector.keepStreams" is off.',
    ) + why,
  );
}

function cutNote(bytes: number): string {
  return `: ${vscode.l10n.t('{0} more bytes came; they were not kept.', bytes)}`;
}
