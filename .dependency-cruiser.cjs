// The import rules of ARCHITECTURE.md, one row each, and each proved by a fixture that breaks it (test/lint).
//
// Trap: `import 'vscode'` resolves into node_modules/@types/vscode, so a rule on '^vscode$' would silently pass.

const { builtinModules } = require('node:module');

const VSCODE = '(^|/)vscode(/|$)';
const SDK = '(^|/)@anthropic-ai/sdk(/|$)';
const BASE = '^src/core/base/';
const PROTOCOL = '^src/protocol/';
const ERRORS = '^src/core/errors[.]ts$';
const PORTS = '^src/core/ports[.]ts$';
const CORE = '^src/core/';
const TRANSLATIONS = '/@vscode/l10n/';

/** A package in whatever node_modules folder above. */
const pkg = (name) => `(^|/)node_modules/(@types/)?${name}/`;
const NODE = `^(node:)?(${builtinModules.join('|')})$`;

/**
 * `may`: what the room may import; `types`: what it may import by `import type` only. Its own folder is always allowed.
 * @type {{ name: string, room: string, may?: string[], types?: string[] }[]}
 */
const rooms = [
  { name: 'base-imports-nothing', room: BASE },
  { name: 'protocol-imports-base', room: PROTOCOL, may: [BASE] },
  {
    name: 'session-is-pure-data',
    room: '^src/core/session/',
    may: [BASE, PROTOCOL, TRANSLATIONS],
    types: [ERRORS, SDK],
  },
  {
    name: 'cost-is-arithmetic',
    room: '^src/core/cost/',
    may: [BASE],
    types: ['^src/core/session/', PROTOCOL, SDK],
  },
  { name: 'edit-is-algebra', room: '^src/core/edit/', may: [BASE, pkg('diff')], types: [PROTOCOL] },
  { name: 'approval-decides-from-plain-data', room: '^src/core/approval/', may: [BASE, TRANSLATIONS] },
  {
    name: 'tools-see-only-their-ports',
    room: '^src/core/tools/',
    may: [BASE, '^src/core/(edit|approval)/', PORTS, ERRORS, pkg('zod'), TRANSLATIONS],
    types: [PROTOCOL, SDK],
  },
  {
    name: 'agent-imports-core',
    room: '^src/core/agent/',
    may: [CORE, PROTOCOL, TRANSLATIONS],
    types: [SDK, pkg('zod')],
  },
  { name: 'ports-are-types', room: PORTS, types: [CORE, PROTOCOL, SDK] },
  { name: 'errors-import-base', room: ERRORS, may: [BASE], types: [SDK] },
  {
    name: 'api-adapts-anthropic',
    room: '^src/api/',
    may: [BASE, ERRORS, SDK, TRANSLATIONS, NODE],
    types: [CORE, PROTOCOL],
  },
  { name: 'node-knows-no-editor', room: '^src/node/', may: [CORE, NODE, TRANSLATIONS], types: [PROTOCOL] },
  {
    name: 'host-adapts-vscode',
    room: '^src/host/',
    may: [CORE, PROTOCOL, '^src/(api|node)/', VSCODE, NODE, TRANSLATIONS],
    // Its code comes with the second bundle, when the first prompt is sent.
    types: [SDK],
  },
  { name: 'simulator-knows-no-client', room: '^src/simulator/', may: [NODE], types: [SDK] },
  {
    name: 'media-only-draws',
    room: '^media/',
    may: [
      PROTOCOL,
      BASE,
      pkg('preact'),
      pkg('markdown-it'),
      pkg('dompurify'),
      pkg('highlight[.]js'),
      pkg('hyparquet'),
      pkg('@vscode/codicons'),
    ],
  },
];

const forbidden = rooms.flatMap(({ name, room, may = [], types = [] }) => [
  {
    name,
    severity: 'error',
    from: { path: room },
    to: { pathNot: [room, ...may, ...types] },
  },
  ...(types.length === 0
    ? []
    : [
        {
          name: `${name}-by-type`,
          severity: 'error',
          from: { path: room },
          to: { path: types, pathNot: [room, ...may], dependencyTypesNot: ['type-only'] },
        },
      ]),
]);

module.exports = {
  forbidden: [
    ...forbidden,
    {
      name: 'only-the-host-imports-vscode',
      severity: 'error',
      from: { pathNot: ['^src/host/', '^src/extension[.]ts$'] },
      to: { path: VSCODE },
    },
    {
      name: 'nobody-imports-the-composition-root',
      severity: 'error',
      from: {},
      to: { path: '^src/extension[.]ts$' },
    },
    { name: 'nothing-imports-tests', severity: 'error', from: { path: '^(src|media)/' }, to: { path: '^test/' } },
    {
      name: 'no-circular',
      severity: 'error',
      // Its `./api.js` is the other bundle, beside it in dist; here it looks like the file itself.
      from: { pathNot: '^src/host/api[.]ts$' },
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['[.]d[.]ts$'] },
      to: {},
    },
  ],
  options: {
    exclude: { path: '^media/demo/' },
    doNotFollow: { path: 'node_modules' },
    // Imports of types count: an import rule is about knowing, not about loading.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
