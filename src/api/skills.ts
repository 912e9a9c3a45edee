import { isObject, stringAt, type JsonObject } from '../core/base/json.ts';
import { ApiError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import { callWithin, readJsonObject } from './call.ts';
import type { Client } from './connection.ts';
import { localFailure, notTheApiText } from './failure.ts';

/** A skill of the workspace that the key belongs to, or one of Anthropic's. */
export interface RemoteSkill {
  readonly id: string;
  readonly type: 'anthropic' | 'custom';
  readonly name: string;
  /** The newest version, where the API names it. */
  readonly version?: string;
}

/** What is uploaded as one skill. */
export interface SkillBundle {
  /** Paths within the skill, with `/`, below one folder of the skill's name. */
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
  /** Shown in lists. At most 255 characters. */
  readonly displayName: string;
}

export interface SkillsApi {
  /** Throws `ApiError` (`not-found` where the address has no Skills API) or `CancelledError`. */
  list(source: RemoteSkill['type'], signal: AbortSignal): Promise<readonly RemoteSkill[]>;
  /** Creates a skill, or with `skillId` a new version of it. Returns the skill's id. Throws like `list`. */
  upload(bundle: SkillBundle, skillId: string | undefined, signal: AbortSignal): Promise<string>;
}

const PAGE_SIZE = 100;
const MAX_PAGES = 20;

export function createSkills(deps: { readonly getClient: () => Promise<Client>; readonly clock: Clock }): SkillsApi {
  return {
    async list(source, signal) {
      const client = await deps.getClient();
      return listSkills(client, deps.clock, source, signal);
    },
    async upload(bundle, skillId, signal) {
      const client = await deps.getClient();
      const path = skillId === undefined ? '/v1/skills' : `/v1/skills/${encodeURIComponent(skillId)}/versions`;
      const form = new FormData();
      if (skillId === undefined) form.append('display_name', bundle.displayName);
      for (const file of bundle.files) form.append('files[]', new Blob([new Uint8Array(file.bytes)]), file.path);
      const body = await callWithin(client, deps.clock, signal, async (inner) =>
        readJsonObject(await client.sdk.post(path, { body: form, signal: inner }).asResponse(), client),
      );
      const id = skillId ?? stringAt(body, 'id') ?? '';
      if (id !== '') return id;
      throw new ApiError(localFailure('protocol', notTheApiText(client.host, 'application/json'), client.context()));
    },
  };
}

async function listSkills(
  client: Client,
  clock: Clock,
  source: RemoteSkill['type'],
  signal: AbortSignal,
): Promise<readonly RemoteSkill[]> {
  const skills = new Map<string, RemoteSkill>();
  let page: string | undefined;
  for (let count = 0; count < MAX_PAGES; count++) {
    const query = { source, limit: PAGE_SIZE, ...(page === undefined ? {} : { page }) };
    const body = await callWithin(client, clock, signal, async (inner) =>
      readJsonObject(await client.sdk.skills.list(query, { signal: inner }).asResponse(), client),
    );
    const data: readonly unknown[] = Array.isArray(body['data']) ? body['data'] : [];
    for (const skill of data.map((item) => toSkill(item, source))) if (skill) skills.set(skill.id, skill);
    const next = stringAt(body, 'next_page');
    if (next === undefined || next === '' || next === page) break;
    page = next;
  }
  return [...skills.values()];
}

function toSkill(value: unknown, type: RemoteSkill['type']): RemoteSkill | undefined {
  const id = stringAt(value, 'id');
  if (!isObject(value) || id === undefined || id === '') return undefined;
  const name = stringAt(value, 'display_name') || id;
  const version = stringAt(value, 'latest_version_id') || undefined;
  return { id, type: sourceOf(value) ?? type, name, ...(version === undefined ? {} : { version }) };
}

function sourceOf({ source }: JsonObject): RemoteSkill['type'] | undefined {
  const type = stringAt(source, 'type');
  return type === 'anthropic' || type === 'custom' ? type : undefined;
}
