import * as l10n from '@vscode/l10n';
import type { McpServers } from '../../api/request.ts';
import { isHeaderSafe } from '../../core/base/headerValue.ts';
import { messageOf, UserError } from '../../core/errors.ts';
import type { McpServer } from '../../core/tools/mcpSetting.ts';
import type { Credentials, SecretStore } from '../credentials.ts';
import type { Log } from '../log.ts';

/** Tokens for servers of the MCP connector, in the secret storage. One goes only to the server and host that it was stored for. */
export interface McpTokens {
  /** Servers by name, with their tokens. Never rejects: without a secret storage there are none. */
  addresses(servers: readonly McpServer[]): Promise<McpServers>;
  has(server: McpServer): Promise<boolean>;
  /** An empty token forgets the one that is stored. Throws `UserError`. */
  put(server: McpServer, token: string): Promise<void>;
}

export function createMcpTokens(
  secrets: SecretStore,
  credentials: Pick<Credentials, 'remember'>,
  log: Pick<Log, 'warn'>,
): McpTokens {
  const get = async (server: McpServer): Promise<string | undefined> => {
    try {
      const token = await secrets.get(nameOf(server));
      if (token !== undefined) credentials.remember(token);
      return token;
    } catch (error) {
      log.warn(`secret storage can't be read: ${messageOf(error)}`);
      return undefined;
    }
  };
  return {
    async addresses(servers) {
      const found = servers.map(async (server) => {
        const token = await get(server);
        return [server.name, { url: server.url, ...(token === undefined ? {} : { token }) }] as const;
      });
      return Object.fromEntries(await Promise.all(found));
    },
    has: async (server) => (await get(server)) !== undefined,
    async put(server, text) {
      const token = text.trim();
      if (token !== '' && !isHeaderSafe(token))
        throw new UserError(l10n.t('The token holds spaces or characters that a token never has.'));
      credentials.remember(token);
      try {
        await (token === '' ? secrets.delete(nameOf(server)) : secrets.store(nameOf(server), token));
      } catch (error) {
        const message = l10n.t('VS Code has no secret storage here, so the token was not kept: it goes into no file.');
        throw new UserError(message, { cause: error });
      }
    },
  };
}

function nameOf({ name, url }: McpServer): string {
  return `loopdock.mcp:${name}@${new URL(url).origin}`;
}
