import assert from 'node:assert/strict';
import type { SkillBundle, SkillsApi } from '../../../src/api/skills.ts';
import { ApiError, CancelledError } from '../../../src/core/errors.ts';
import { buildBody } from '../../../src/api/request.ts';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import { apiAt, REQUEST } from '../api/support.ts';
import { accepts, refuses, request, startHarness, tools, type Body, type Harness } from '../simulator/harness.ts';

const signal = new AbortController().signal;
const sandbox = [tools[1]];
const named = (fields: Body = {}): Body => ({ type: 'anthropic', skill_id: 'xlsx', ...fields });
const withSkills = (skills: unknown, fields: Body = {}): Body =>
  request({ tools: sandbox, container: { skills }, ...fields });

function bundle(header: string, path = 'reports/SKILL.md'): SkillBundle {
  const bytes = new TextEncoder().encode(`---\n${header}\n---\nText`);
  const script = { path: 'reports/scripts/a b.py', bytes: Uint8Array.of(0, 13, 10, 45, 45, 255) };
  return { displayName: 'Reports', files: [{ path, bytes }, script] };
}

suite('skills at the API', () => {
  let harness: Harness;
  let skills: SkillsApi;
  suiteSetup(async () => {
    harness = await startHarness();
    const { url, key } = harness.simulator;
    skills = apiAt(url, { connection: () => Promise.resolve({ baseUrl: url, apiKey: key }) }).skills;
  });
  suiteTeardown(() => harness.simulator.close());

  test("Anthropic's four are listed with the version that is the newest now", async () => {
    const listed = await skills.list('anthropic', signal);
    assert.deepEqual(listed.map(({ id }) => id).sort(), ['docx', 'pdf', 'pptx', 'xlsx']);
    assert.deepEqual(listed[0], { id: 'docx', type: 'anthropic', name: 'docx', version: '20251013' });
  });

  test('a folder becomes a skill, and again a new version of it', async () => {
    const id = await skills.upload(bundle('name: reports\ndescription: Makes reports'), undefined, signal);
    const [first] = await skills.list('custom', signal);
    assert.deepEqual([first?.id, first?.name, first?.type], [id, 'Reports', 'custom']);
    assert.equal(await skills.upload(bundle('name: reports\ndescription: Better'), id, signal), id);
    const [second] = await skills.list('custom', signal);
    assert.notEqual(second?.version, first?.version);
    const answer = await harness.post(withSkills([named({ type: 'custom', skill_id: id, version: first?.version })]));
    assert.equal(answer.status, 200, answer.text);
  });

  test('what is wrong with a folder comes as the sentence of the API', async () => {
    for (const [header, says] of [
      ['name: Reports\ndescription: x', /invalid name/],
      ['name: reports', /invalid description/],
    ] as const) {
      await assert.rejects(
        skills.upload(bundle(header), undefined, signal),
        (error) => error instanceof ApiError && error.failure.status === 400 && says.test(error.message),
      );
    }
    const elsewhere = bundle('name: reports\ndescription: x', 'reports/docs/SKILL.md');
    await assert.rejects(skills.upload(elsewhere, undefined, signal), /SKILL.md must be at the root/);
  });

  test('an upload can be cancelled', async () => {
    const abort = new AbortController();
    abort.abort();
    await assert.rejects(skills.upload(bundle('name: a\ndescription: x'), undefined, abort.signal), CancelledError);
  });

  test('pages of the list are followed to the end, and what is no skill is left out', async () => {
    const pages = [
      { data: [{ id: 'skill_1', display_name: 'One', source: { type: 'custom' } }, 'odd', {}], next_page: 'p2' },
      { data: [{ id: 'skill_2' }], next_page: null },
    ];
    const asked: string[] = [];
    const fetch = (input: string | URL | Request): Promise<Response> => {
      asked.push(new URL(input instanceof Request ? input.url : input).search);
      return Promise.resolve(Response.json(pages[asked.length - 1]));
    };
    const listed = await apiAt('http://127.0.0.1:1', { fetch }).skills.list('custom', signal);
    assert.deepEqual(listed, [
      { id: 'skill_1', type: 'custom', name: 'One' },
      { id: 'skill_2', type: 'custom', name: 'skill_2' },
    ]);
    assert.deepEqual(asked, ['?source=custom&limit=100', '?source=custom&limit=100&page=p2']);
  });

  test('the request names them in its container, with the id of the container that goes on', () => {
    const body = (fields: object): unknown => {
      const built = buildBody({ ...REQUEST, ...fields });
      assert.ok(built.ok);
      return (JSON.parse(built.json) as Body)['container'];
    };
    const list = [{ type: 'anthropic', skill_id: 'pptx', version: '20251013' }] as const;
    assert.deepEqual(body({ skills: list }), { skills: list });
    assert.deepEqual(body({ skills: list, container: 'container_1' }), { id: 'container_1', skills: list });
    assert.deepEqual(
      [body({ skills: [], container: 'container_1' }), body({ skills: [] })],
      ['container_1', undefined],
    );
  });

  test('an answer that used the container says which skills are in it, in which version', async () => {
    const prompt = scriptPrompt('Go', [{ steps: [{ type: 'bash_code_execution', command: 'true' }] }]);
    const answer = await harness.post(withSkills([named()], { messages: [{ role: 'user', content: prompt }] }));
    const { id, skills: loaded } = answer.body?.['container'] as Body;
    assert.deepEqual(loaded, [{ type: 'anthropic', skill_id: 'xlsx', version: '20251013' }]);
    const again = await harness.post(request({ tools: sandbox, container: { id, skills: [named()] } }));
    assert.equal(again.status, 200, again.text);
  });

  test('a command finds the files of a skill in the folder of skills, and what they make comes out as a file', async () => {
    const script = {
      path: 'table/make.sh',
      bytes: new TextEncoder().encode('echo a,b > "$OUTPUT_DIR/made.csv"; cat "$SKILLS_DIR/xlsx/SKILL.md"'),
    };
    const { files } = bundle('name: table\ndescription: Makes tables', 'table/SKILL.md');
    const id = await skills.upload({ displayName: 'Table', files: [...files.slice(0, 1), script] }, undefined, signal);
    const command = 'sh "$SKILLS_DIR/table/make.sh"';
    const prompt = scriptPrompt('Go', [{ steps: [{ type: 'bash_code_execution', command }] }]);
    const answer = await harness.post(
      withSkills([named(), named({ type: 'custom', skill_id: id })], { messages: [{ role: 'user', content: prompt }] }),
    );
    const result = JSON.stringify(answer.body?.['content']);
    assert.match(result, /name: xlsx/);
    assert.match(result, /"file_id":"file_/);
  });

  suite('in a request', () => {
    accepts(
      () => harness,
      [
        ['no skills at all', withSkills([])],
        ['the newest version by name', withSkills([named({ version: 'latest' }), named({ skill_id: 'pdf' })])],
      ],
    );
    refuses(
      () => harness,
      [
        [
          'skills without the tool that reads them [C138]',
          withSkills([named()], { tools: [tools[0]] }),
          /code execution/,
        ],
        ['skills without any tool [C138]', withSkills([named()], { tools: undefined }), /code execution/],
        ['more than 20 [C138]', withSkills(Array.from({ length: 21 }, () => named())), /at most 20/],
        ['a skill twice', withSkills([named(), named()]), /duplicate/],
        ['a skill that does not exist', withSkills([named({ skill_id: 'xls' })]), /not found/],
        ['a version that does not exist', withSkills([named({ version: '1' })]), /not found/],
        ['another type', withSkills([named({ type: 'own' })]), /'anthropic' or 'custom'/],
        ['a name beside the id', withSkills([named({ name: 'x' })]), /name: Extra inputs/],
        ['no list', withSkills('pptx'), /valid list/],
      ],
    );
  });
});
