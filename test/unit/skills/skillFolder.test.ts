import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkSkill, MOST_SKILL_BYTES } from '../../../src/core/base/skillFolder.ts';
import { UserError } from '../../../src/core/errors.ts';
import { readSkillFolder } from '../../../src/node/inputs/skillFiles.ts';

const skill = (...lines: readonly string[]): string => ['---', ...lines, '---', '# How to'].join('\n');

suite("a skill's folder", () => {
  test('says its name and what it is for at the top of SKILL.md, in any way that YAML writes a text', () => {
    const wanted = { ok: true, name: 'sales-report', description: 'Makes "the" report: weekly' };
    const texts = [
      skill('name: sales-report', 'description: Makes "the" report: weekly'),
      skill('name: "sales-report"', 'description: "Makes \\"the\\" report: weekly"'),
      skill("name: 'sales-report'", 'description: >-', '  Makes "the"', '  report: weekly', 'license: MIT'),
      `\uFEFF${skill('description: Makes "the" report: weekly', 'name: sales-report').replaceAll('\n', '\r\n')}`,
    ];
    for (const text of texts) assert.deepEqual(checkSkill(text), wanted, text);
  });

  const refused: readonly (readonly [string, string | undefined])[] = [
    ['noFile', undefined],
    ['noFrontmatter', '# No header'],
    ['noFrontmatter', '---\nname: never-ends'],
    ['noName', skill('description: d')],
    ['name', skill('name: Sales Report', 'description: d')],
    ['name', skill(`name: ${'a'.repeat(65)}`, 'description: d')],
    ['reservedName', skill('name: my-claude-skill', 'description: d')],
    ['noDescription', skill('name: a')],
    ['longDescription', skill('name: a', `description: ${'d'.repeat(1025)}`)],
    ['tags', skill('name: a', 'description: read <b>this</b>')],
  ];
  test('is refused before anything is sent where the API would refuse it', () => {
    for (const [problem, text] of refused) assert.deepEqual(checkSkill(text), { ok: false, problem }, text);
  });

  suite('on disk', () => {
    let folder: string;
    setup(async () => (folder = await mkdtemp(join(tmpdir(), 'skill-'))));
    teardown(() => rm(folder, { recursive: true }));

    test('is taken with all that is in it, but links and version control', async () => {
      await mkdir(join(folder, 'scripts', '.git'), { recursive: true });
      await writeFile(join(folder, 'SKILL.md'), 'x');
      await writeFile(join(folder, 'scripts', 'run.py'), 'print()');
      await writeFile(join(folder, 'scripts', '.git', 'config'), 'secret');
      await symlink('/etc/hostname', join(folder, 'link'));
      const { files, left } = await readSkillFolder(folder);
      assert.deepEqual(
        files.map(({ path }) => path),
        ['SKILL.md', 'scripts/run.py'],
      );
      assert.deepEqual(left, ['link', 'scripts/.git']);
    });

    test('is not read into memory where it is too large', async () => {
      await writeFile(join(folder, 'big.bin'), '');
      await truncate(join(folder, 'big.bin'), MOST_SKILL_BYTES);
      await assert.rejects(
        readSkillFolder(folder),
        (error) => error instanceof UserError && /30 MB/.test(error.message),
      );
    });
  });
});
