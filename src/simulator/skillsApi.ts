import { randomBytes } from 'node:crypto';
import type { DeletedSkill, Skill } from '@anthropic-ai/sdk/resources/skills/skills';
import type { DeletedSkillVersion, SkillVersion } from '@anthropic-ai/sdk/resources/skills/versions';
import { headerOf, readBody, sendEdgePage, sendJson } from './http.ts';
import type { Exchange } from './http.ts';
import { parseMultipart } from './multipart.ts';
import type { Part } from './multipart.ts';
import { invalid, notFound, ProblemError } from './problem.ts';

/** Of the unpacked bundle. */
const bundleLimit = 30 * 1024 * 1024;
const anthropicSkills = ['docx', 'pdf', 'pptx', 'xlsx'];
const anthropicVersion = '20251013';

interface StoredSkill {
  readonly skill: Skill;
  /** The `name` in its SKILL.md. */
  readonly name: string;
  /** Newest first. */
  readonly versions: SkillVersion[];
  /** By version. */
  readonly files: Map<string, readonly SkillFile[]>;
}

/** A file of a skill, by its path below the folder of all skills. */
export interface SkillFile {
  readonly path: string;
  readonly content: Buffer;
}

/** Anthropic's four skills, which have nothing but a name here, and those that were uploaded. */
export class SkillStore {
  readonly #custom = new Map<string, StoredSkill>();

  /** Whether a request may name this skill in this version. */
  has(type: string, id: string, version: string | undefined): boolean {
    const latest = version === undefined || version === 'latest';
    if (type === 'anthropic') return anthropicSkills.includes(id) && (latest || version === anthropicVersion);
    const stored = type === 'custom' ? this.#custom.get(id) : undefined;
    return stored !== undefined && (latest || stored.versions.some((one) => one.id === version));
  }

  /** What `latest` is now. */
  resolve(type: string, id: string, version: string | undefined): string {
    if (version !== undefined && version !== 'latest') return version;
    return type === 'anthropic' ? anthropicVersion : (this.#custom.get(id)?.versions[0]?.id ?? '');
  }

  /** What a container that has this skill finds in its folder of skills. */
  files(type: string, id: string, version: string): readonly SkillFile[] {
    if (type === 'anthropic') return [{ path: `${id}/SKILL.md`, content: Buffer.from(`---\nname: ${id}\n---\n`) }];
    return this.#custom.get(id)?.files.get(version) ?? [];
  }

  async handle(exchange: Exchange): Promise<void> {
    const { request, url } = exchange;
    const [id, sub, version] = url.pathname.slice('/v1/skills'.length).split('/').filter(Boolean);
    const method = request.method ?? '';
    if (id === undefined) return method === 'POST' ? this.#create(exchange) : this.#list(exchange);
    const stored = this.#custom.get(decodeURIComponent(id));
    if (!stored) throw new ProblemError(notFound(`Skill not found: ${id}`));
    if (sub === 'versions') return this.#versions(exchange, stored, version);
    if (sub !== undefined) throw new ProblemError(notFound('Not found'));
    if (method === 'DELETE') {
      this.#custom.delete(stored.skill.id);
      return sendJson(exchange, { id: stored.skill.id, type: 'skill_deleted' } satisfies DeletedSkill);
    }
    sendJson(exchange, stored.skill);
  }

  #list(exchange: Exchange): void {
    const all = this.#of(exchange.url.searchParams.get('source'));
    const limit = Number(exchange.url.searchParams.get('limit') ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
      throw new ProblemError(invalid('limit: Input should be between 1 and 100'));
    }
    const start = Number(exchange.url.searchParams.get('page') ?? 0) || 0;
    const next = start + limit < all.length ? String(start + limit) : null;
    sendJson(exchange, { data: all.slice(start, start + limit), next_page: next });
  }

  #of(source: string | null): readonly Skill[] {
    const custom = [...this.#custom.values()].map(({ skill }) => skill).reverse();
    switch (source) {
      case null:
        return [...anthropicSkills.map(anthropicSkill), ...custom];
      case 'anthropic':
        return anthropicSkills.map(anthropicSkill);
      case 'custom':
        return custom;
      default:
        throw new ProblemError(invalid("source: Input should be 'custom' or 'anthropic'"));
    }
  }

  async #create(exchange: Exchange): Promise<void> {
    const parts = await readForm(exchange);
    if (!parts) return;
    const given = parts.find(({ name }) => name === 'display_name')?.content.toString('utf8');
    if (given !== undefined && given.length > 255) {
      throw new ProblemError(invalid('display_name: String should have at most 255 characters'));
    }
    const { name, description, files } = checkBundle(parts);
    const id = `skill_01${randomBytes(11).toString('hex')}`;
    const version = versionOf(id, name, description);
    const skill: Skill = {
      id,
      type: 'skill',
      display_name: given ?? name,
      source: { type: 'custom' },
      latest_version_id: version.id,
      created_at: version.created_at,
      updated_at: version.created_at,
    };
    this.#custom.set(id, { skill, name, versions: [version], files: new Map([[version.id, files]]) });
    sendJson(exchange, skill);
  }

  async #versions(exchange: Exchange, stored: StoredSkill, version: string | undefined): Promise<void> {
    const { method } = exchange.request;
    const found = stored.versions.find((one) => one.id === version);
    if (version === undefined && method === 'POST') {
      const parts = await readForm(exchange);
      if (!parts) return;
      const { name, description, files } = checkBundle(parts);
      if (name !== stored.name) {
        throw new ProblemError(invalid(`files: SKILL.md must keep the skill's name '${stored.name}'`));
      }
      const next = versionOf(stored.skill.id, name, description);
      stored.versions.unshift(next);
      stored.files.set(next.id, files);
      const skill = { ...stored.skill, latest_version_id: next.id, updated_at: next.created_at };
      this.#custom.set(skill.id, { ...stored, skill });
      return sendJson(exchange, next);
    }
    if (version === undefined) return sendJson(exchange, { data: stored.versions, next_page: null });
    if (!found) throw new ProblemError(notFound(`Skill version not found: ${version}`));
    if (method !== 'DELETE') return sendJson(exchange, found);
    stored.versions.splice(stored.versions.indexOf(found), 1);
    sendJson(exchange, { id: version, type: 'skill_version_deleted' } satisfies DeletedSkillVersion);
  }
}

function anthropicSkill(id: string): Skill {
  const at = '2025-10-13T00:00:00Z';
  return {
    id,
    type: 'skill',
    display_name: id,
    source: { type: 'anthropic' },
    latest_version_id: anthropicVersion,
    created_at: at,
    updated_at: at,
  };
}

async function readForm(exchange: Exchange): Promise<readonly Part[] | undefined> {
  // The form around the files takes a little room, too.
  const body = await readBody(exchange, bundleLimit + 1024 * 1024);
  if (body) {
    const parts = parseMultipart(body, headerOf(exchange.request, 'content-type'));
    if (parts) return parts;
    throw new ProblemError(invalid('files: Field required'));
  }
  sendEdgePage(exchange, 413, 'Request Entity Too Large');
  return undefined;
}

/** The rules for a bundle's files and its SKILL.md. */
function checkBundle(parts: readonly Part[]): SkillHeader & { readonly files: readonly SkillFile[] } {
  const files = parts.filter(({ name }) => name === 'files[]' || name === 'files');
  if (files.length === 0) throw new ProblemError(invalid('files: Field required'));
  const size = files.reduce((sum, { content }) => sum + content.length, 0);
  if (size >= bundleLimit) throw new ProblemError(invalid('files: total size must be under 30 MB'));
  const names = files.map(({ filename = '' }) => filename);
  if (names.some((name) => name.startsWith('/') || name.split(/[\\/]/).includes('..'))) {
    throw new ProblemError(invalid('files: paths must be relative'));
  }
  const roots = new Set(names.map((name) => (name.includes('/') ? name.split('/')[0] : '')));
  if (roots.size !== 1) throw new ProblemError(invalid('files: all files must be in the same top-level directory'));
  const main = files.find(({ filename = '' }) => /^(?:[^/]+\/)?SKILL\.md$/.test(filename));
  if (!main) throw new ProblemError(invalid('files: SKILL.md must be at the root of the skill'));
  const kept = files.map(({ filename = '', content }) => ({ path: filename, content }));
  return { ...readHeader(main.content.toString('utf8')), files: kept };
}

interface SkillHeader {
  readonly name: string;
  readonly description: string;
}

function readHeader(text: string): SkillHeader {
  const header = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
  const name = fieldOf(header, 'name');
  const description = fieldOf(header, 'description');
  if (!/^[a-z0-9-]{1,64}$/.test(name) || /anthropic|claude/.test(name)) {
    throw new ProblemError(invalid(`SKILL.md: invalid name '${name}'`));
  }
  if (description === '' || description.length > 1024 || /<[^>]+>/.test(description)) {
    throw new ProblemError(invalid('SKILL.md: invalid description'));
  }
  return { name, description };
}

function fieldOf(header: string, key: string): string {
  return (new RegExp(`^${key}:[ \\t]*(.*)$`, 'm').exec(header)?.[1] ?? '').trim().replace(/^(["'])(.*)\1$/, '$2');
}

function versionOf(skillId: string, name: string, description: string): SkillVersion {
  return {
    id: `skver_01${randomBytes(11).toString('hex')}`,
    type: 'skill_version',
    skill_id: skillId,
    name,
    description,
    created_at: new Date().toISOString(),
  };
}
