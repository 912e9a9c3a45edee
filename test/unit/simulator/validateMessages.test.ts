import { MINI_MODEL } from '../../../src/simulator/models.ts';
import {
  accepts,
  refuses,
  request,
  result,
  serverResult,
  serverUse,
  startHarness,
  talk,
  text,
  use,
} from './harness.ts';
import type { Harness } from './harness.ts';
import { image } from '../../support/images.ts';

const png = image({ kind: 'png' });
const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } };
const cited = {
  citations: [
    {
      ...{ type: 'char_location', cited_text: 'x', document_index: 0, document_title: null },
      ...{ start_char_index: 0, end_char_index: 1 },
    },
  ],
};

suite('messages', () => {
  let harness: Harness;
  suiteSetup(async () => void (harness = await startHarness()));
  suiteTeardown(() => harness.simulator.close());

  refuses(
    () => harness,
    [
      ['no messages', request({ messages: [] }), /at least one message/],
      [
        'a message with more fields',
        request({ messages: [{ role: 'user', content: 'a', id: 'x' }] }),
        /^messages\.0\.id: Extra/,
      ],
      ['an unknown role', talk(['tool', 'x']), /Unexpected role "tool"/],
      ['an assistant who begins', talk(['assistant', 'hi'], ['user', 'a']), /first message must use the "user" role/],
      ['an assistant who ends', talk(['user', 'a'], ['assistant', 'I']), /does not support assistant message prefill/],
      ['empty content', talk(['user', []]), /non-empty content/],
      ['an empty string', talk(['user', '']), /non-empty content/],
      ['blank content', talk(['user', ' \n']), /non-whitespace text/],
      ['an empty text block', talk(['user', [text('')]]), /must be non-empty/],
      ['a blank text block', talk(['user', [text('\n')]]), /non-whitespace text/],
      [
        'an empty text block of the assistant',
        talk(['user', 'a'], ['assistant', [text('')]], ['user', 'b']),
        /must be non-empty/,
      ],
      [
        'an empty text block in a result',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t', { content: [text('')] })]]),
        /must be non-empty/,
      ],
      ['citations in a user text', talk(['user', [text('a', cited)]]), /citations/],
      [
        'citations in a search result',
        talk(['user', [{ type: 'search_result', source: 's', title: 't', content: [text('a', cited)] }]]),
        /citations/,
      ],
      ['an unknown block', talk(['user', [{ type: 'video' }]]), /Input tag 'video'/],
      [
        'an unknown block of the assistant that was never sent',
        talk(['user', 'a'], ['assistant', [{ type: 'dream' }]], ['user', 'b']),
        /Input tag 'dream'/,
      ],
      ['an unknown field of a block', talk(['user', [text('a', { id: 1 })]]), /text\.id: Extra inputs/],
      ['a call by the user', talk(['user', [use('t')]]), /`tool_use` blocks are not permitted in `user`/],
      [
        'a result by the assistant',
        talk(['user', 'a'], ['assistant', [result('t')]], ['user', 'b']),
        /`tool_result` blocks are not permitted in `assistant`/,
      ],
      [
        'thinking by the user',
        talk(['user', [{ type: 'thinking', thinking: 'x', signature: 'y' }]]),
        /not permitted in `user`/,
      ],
      ['a server result by the user', talk(['user', [serverResult('srvtoolu_1')]]), /not permitted in `user`/],
      [
        'an image by the assistant',
        talk(['user', 'a'], ['assistant', [png]], ['user', 'b']),
        /`image` blocks are not permitted/,
      ],
      [
        'a document by the assistant',
        talk(['user', 'a'], ['assistant', [document]], ['user', 'b']),
        /`document` blocks are not permitted in `assistant`/,
      ],
      [
        'a call inside a result',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t', { content: [use('u')] })]]),
        /not permitted in `tool_result`/,
      ],
      [
        'an image type that is none',
        talk(['user', [{ ...png, source: { ...png.source, media_type: 'image/bmp' } }]]),
        /media_type/,
      ],
      [
        'image data with a URL prefix',
        talk(['user', [{ ...png, source: { ...png.source, data: 'data:image/png;base64,aa' } }]]),
        /invalid base64/,
      ],
      [
        'a PDF on a model without',
        {
          ...talk([
            'user',
            [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'aaaa' } }],
          ]),
          model: MINI_MODEL,
          tools: [],
        },
        /does not support PDF/,
      ],
      [
        'a call whose input is a list',
        talk(['user', 'a'], ['assistant', [{ ...use('t'), input: [] }]], ['user', [result('t')]]),
        /input: Input should be a valid dictionary/,
      ],
      [
        'a call whose input is a string',
        talk(['user', 'a'], ['assistant', [{ ...use('t'), input: '{}' }]], ['user', [result('t')]]),
        /valid dictionary/,
      ],
      [
        'a call without name',
        talk(['user', 'a'], ['assistant', [{ ...use('t'), name: '' }]], ['user', [result('t')]]),
        /name/,
      ],
      [
        'a call with a strange id',
        talk(['user', 'a'], ['assistant', [use('t t')]], ['user', [result('t t')]]),
        /id: String should match/,
      ],
      [
        'a server call with a client id',
        talk(['user', 'a'], ['assistant', [serverUse('toolu_1')]], ['user', 'b']),
        /id: String should match/,
      ],
      [
        'a file that does not exist',
        talk(['user', [{ type: 'container_upload', file_id: 'file_x' }]]),
        /File not found: file_x/,
        404,
      ],
      [
        'an error without text',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t', { is_error: true, content: '' })]]),
        /cannot be empty if is_error/,
      ],
      [
        'an error with an empty list',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t', { is_error: true, content: [] })]]),
        /cannot be empty if is_error/,
      ],
      [
        'an error with an image',
        talk(
          ['user', 'a'],
          ['assistant', [use('t')]],
          ['user', [result('t', { is_error: true, content: [text('x'), png] })]],
        ),
        /must be type "text" if is_error/,
      ],
      [
        'a toolset name on a plain result',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t', { toolset_name: 'computer' })]]),
        /toolset_name/,
      ],
      ['a system message at the start', talk(['system', 's'], ['user', 'a']), /first message must use/],
      [
        'a system message before the user',
        talk(['user', 'a'], ['system', 's'], ['user', 'b']),
        /must be last or be followed by/,
      ],
      [
        'a system message after the assistant',
        talk(['user', 'a'], ['assistant', 'b'], ['system', 's']),
        /must follow a `user` message/,
      ],
      [
        'a system message on a model without',
        { ...talk(['user', 'a'], ['system', 's']), model: MINI_MODEL, tools: [] },
        /Unexpected role "system"/,
      ],
    ],
  );
  accepts(
    () => harness,
    [
      ['several user messages in a row', talk(['user', 'a'], ['user', 'b'])],
      ['a system message at the end', talk(['user', 'a'], ['system', 's'])],
      ['images and documents by the user', talk(['user', [png, document, text('a')]])],
      ['cited text of the assistant', talk(['user', 'a'], ['assistant', [text('b', cited)]], ['user', 'c'])],
      [
        'a result without content',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t', { content: undefined })]]),
      ],
      [
        'an error with text',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t', { is_error: true })]]),
      ],
      [
        'a result with an image',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t', { content: [png] })]]),
      ],
    ],
  );
});

suite('calls and results', () => {
  let harness: Harness;
  suiteSetup(async () => void (harness = await startHarness()));
  suiteTeardown(() => harness.simulator.close());
  const s1 = 'srvtoolu_1';
  const mixed = ['assistant', [use('t'), serverUse(s1)]] as const;

  refuses(
    () => harness,
    [
      [
        'a call without result',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', 'b']),
        /were found without `tool_result` blocks immediately after: t\./,
      ],
      ['a call at the end', talk(['user', 'a'], ['assistant', [use('t')]]), /without `tool_result`|prefill/],
      [
        'one of two results missing',
        talk(['user', 'a'], ['assistant', [use('t'), use('u')]], ['user', [result('t')]]),
        /immediately after: u\./,
      ],
      [
        'results in two messages',
        talk(['user', 'a'], ['assistant', [use('t'), use('u')]], ['user', [result('t')]], ['user', [result('u')]]),
        /immediately after: u\./,
      ],
      [
        'text before the results',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [text('x'), result('t')]]),
        /immediately after: t\./,
      ],
      [
        'text between the results',
        talk(['user', 'a'], ['assistant', [use('t'), use('u')]], ['user', [result('t'), text('x'), result('u')]]),
        /immediately after: u\./,
      ],
      [
        'a message between call and result',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', 'x'], ['user', [result('t')]]),
        /immediately after: t\./,
      ],
      [
        'a system message between call and result',
        talk(['user', 'a'], ['assistant', [use('t')]], ['system', 'x'], ['user', [result('t')]]),
        /must follow|immediately after/,
      ],
      ['a result of no call', talk(['user', [result('t')]]), /unexpected `tool_use_id` found.*t\./],
      [
        'a result too many',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t'), result('u')]]),
        /unexpected `tool_use_id`/,
      ],
      [
        'two results of one call',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t'), result('t')]]),
        /single result/,
      ],
      [
        'a result of an older call again',
        talk(
          ['user', 'a'],
          ['assistant', [use('t')]],
          ['user', [result('t')]],
          ['assistant', 'b'],
          ['user', [result('t')]],
        ),
        /unexpected `tool_use_id`/,
      ],
      [
        'two calls with one id',
        talk(
          ['user', 'a'],
          ['assistant', [use('t')]],
          ['user', [result('t')]],
          ['assistant', [use('t')]],
          ['user', [result('t')]],
        ),
        /ids must be unique/,
      ],
      [
        'a client result of a server call',
        talk(['user', 'a'], ['assistant', [serverUse(s1), serverResult(s1), text('b')]], ['user', [result(s1)]]),
        /unexpected `tool_use_id`/,
      ],
      [
        'an open server call followed by user text',
        talk(['user', 'a'], ['assistant', [serverUse(s1)]], ['user', 'b']),
        /`bash_code_execution` tool use with id `srvtoolu_1` was found without/,
      ],
      [
        'text after the results of a mixed group',
        talk(['user', 'a'], mixed, ['user', [result('t'), text('x')]]),
        /srvtoolu_1` was found without/,
      ],
      [
        'a user message after the results of a mixed group',
        talk(['user', 'a'], mixed, ['user', [result('t')]], ['user', 'x']),
        /srvtoolu_1` was found without/,
      ],
      ['a mixed group without client results', talk(['user', 'a'], mixed, ['user', 'x']), /immediately after: t\./],
      [
        'a mixed group whose server tool is gone',
        { ...talk(['user', 'a'], mixed, ['user', [result('t')]]), tools: [{ type: 'bash_20250124', name: 'bash' }] },
        /but no `code_execution` tool was provided/,
      ],
      [
        'text in a mixed group that was answered later',
        talk(
          ['user', 'a'],
          mixed,
          ['user', [result('t'), text('x')]],
          ['assistant', [serverResult(s1), text('b')]],
          ['user', 'c'],
        ),
        /srvtoolu_1` was found without/,
      ],
      [
        'a server result of no call',
        talk(['user', 'a'], ['assistant', [serverResult(s1), text('b')]], ['user', 'c']),
        /unexpected `tool_use_id`/,
      ],
      [
        'a server result twice',
        talk(['user', 'a'], ['assistant', [serverUse(s1), serverResult(s1), serverResult(s1)]], ['user', 'c']),
        /multiple `bash_code_execution_tool_result`/,
      ],
      [
        'a server result before its call',
        talk(['user', 'a'], ['assistant', [serverResult(s1), serverUse(s1)]], ['user', 'c']),
        /unexpected `tool_use_id`/,
      ],
    ],
  );
  accepts(
    () => harness,
    [
      [
        'parallel calls with all results',
        talk(['user', 'a'], ['assistant', [use('t'), use('u')]], ['user', [result('u'), result('t')]]),
      ],
      [
        'text after the results of direct calls',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t'), text('x')]]),
      ],
      [
        'a user message after the results',
        talk(['user', 'a'], ['assistant', [use('t')]], ['user', [result('t')]], ['user', 'x']),
      ],
      [
        'a server call with its result',
        talk(['user', 'a'], ['assistant', [serverUse(s1), serverResult(s1), text('b')]], ['user', 'c']),
      ],
      ['a mixed group with results only', talk(['user', 'a'], mixed, ['user', [result('t')]])],
      [
        'a mixed group answered in the next message',
        talk(
          ['user', 'a'],
          mixed,
          ['user', [result('t')]],
          ['assistant', [serverResult(s1), text('b')]],
          ['user', 'c'],
        ),
      ],
      ['an open server call at the end', talk(['user', 'a'], ['assistant', [serverUse(s1)]])],
    ],
  );
});
