import * as vscode from 'vscode';
import { UserError } from '../../core/errors.ts';
import type { McpServer } from '../../core/tools/mcpSetting.ts';
import { notify } from '../notify.ts';
import type { Services } from '../services.ts';
import { readSettings } from '../settings.ts';
import type { McpTokens } from './mcpTokens.ts';

/** Asks for the token of a server of the setting, and keeps or forgets it. Throws `UserError` where there is no server. */
export async function setMcpToken({ guard }: Pick<Services, 'guard'>, tokens: McpTokens): Promise<void> {
  const server = await chooseServer(tokens);
  if (server === undefined) return;
  const { host } = new URL(server.url);
  const token = await vscode.window.showInputBox({
    title: vscode.l10n.t('Token for {0}', server.name),
    prompt: vscode.l10n.t(
      'It is kept in the secret storage of VS Code and sent with each request to Anthropic, which shows it to {0}. Leave it empty to forget the one that is stored.',
      host,
    ),
    password: true,
    ignoreFocusOut: true,
  });
  if (token === undefined) return;
  await tokens.put(server, token);
  const said =
    token.trim() === ''
      ? vscode.l10n.t('No token is kept for {0}.', server.name)
      : vscode.l10n.t('The token for {0} is kept.', server.name);
  notify(guard, { text: said });
}

async function chooseServer(tokens: McpTokens): Promise<McpServer | undefined> {
  const { servers } = readSettings().mcp;
  if (servers.length === 0)
    throw new UserError(vscode.l10n.t('There is no MCP server yet: name one in the setting "loopdock.mcp.servers".'));
  const items = servers.map(async (server) => ({
    label: server.name,
    description: server.url,
    detail: (await tokens.has(server)) ? vscode.l10n.t('A token is kept.') : vscode.l10n.t('Without a token'),
    server,
  }));
  const title = vscode.l10n.t('Token of Which MCP Server?');
  return (await vscode.window.showQuickPick(Promise.all(items), { title, ignoreFocusOut: true }))?.server;
}
