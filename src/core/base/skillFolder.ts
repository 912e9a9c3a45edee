/** What a skill's folder must be (Agent Skills, "Managing custom skills"). Pure: the caller reads the files and words the problems. */
export const MOST_SKILL_BYTES = 30 * 1024 * 1024;

export type SkillProblem =
  'noFile' | 'noFrontmatter' | 'noName' | 'name' | 'reservedName' | 'noDescription' | 'longDescription' | 'tags';

export type SkillCheck =
  | { readonly ok: true; readonly name: string; readonly description: string }
  | { readonly ok: false; readonly problem: SkillProblem };

const MOST_NAME = 64;
const MOST_DESCRIPTION = 1024;

/** Judges the text of a `SKILL.md`; undefined when there is none. */
export function checkSkill(text: string | undefined): SkillCheck {
  if (text === undefined) return bad('noFile');
  const fields = frontmatter(text);
  if (fields === undefined) return bad('noFrontmatter');
  const name = fields.get('name') ?? '';
  const description = fields.get('description') ?? '';
  if (name === '') return bad('noName');
  if (name.length > MOST_NAME || !/^[a-z0-9-]+$/.test(name)) return bad('name');
  if (/anthropic|claude/.test(name)) return bad('reservedName');
  if (description === '') return bad('noDescription');
  if (Array.from(description).length > MOST_DESCRIPTION) return bad('longDescription');
  if (/<\/?[A-Za-z][^>]*>/.test(description)) return bad('tags');
  return { ok: true, name, description };
}

function bad(problem: SkillProblem): SkillCheck {
  return { ok: false, problem };
}

/** The two fields that count are single texts: plain, quoted, or folded over indented lines. */
function frontmatter(text: string): ReadonlyMap<string, string> | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end = lines.indexOf('---', 1);
  if (lines[0]?.trimEnd() !== '---' || end < 0) return undefined;
  const fields = new Map<string, string>();
  let key: string | undefined;
  for (const line of lines.slice(1, end)) {
    const found = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/.exec(line);
    if (found) {
      key = found[1] ?? '';
      const value = (found[2] ?? '').trim();
      fields.set(key, /^[|>][-+]?$/.test(value) ? '' : value);
    } else if (key !== undefined && /^\s+\S/.test(line)) {
      fields.set(key, `${fields.get(key) ?? ''} ${line.trim()}`.trim());
    }
  }
  return new Map([...fields].map(([name, value]) => [name, unquoted(value)]));
}

function unquoted(value: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(value);
  if (!quoted) return value;
  return quoted[1] === '"' ? (quoted[2] ?? '').replace(/\\(["\\])/g, '$1') : (quoted[2] ?? '').replaceAll("''", "'");
}
