import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { isObject } from '../../src/core/base/json.ts';

/** JSON Schema, as far as the SDK's types need it. */
export interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly type?: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

export type SdkType = 'MessageCreateParamsBase' | 'Message' | 'RawMessageStreamEvent' | 'ErrorResponse' | 'ModelInfo';

const root = join(__dirname, '..', '..');
const sdk = join(root, 'node_modules', '@anthropic-ai', 'sdk');
const sources: { readonly [T in SdkType]: string } = {
  MessageCreateParamsBase: 'resources/messages/messages',
  Message: 'resources/messages/messages',
  RawMessageStreamEvent: 'resources/messages/messages',
  ErrorResponse: 'resources/shared',
  ModelInfo: 'resources/models',
};

let loaded: Readonly<Record<string, Schema>> | undefined;

/** The schemas of the SDK's own types, generated once per version of the SDK and kept in out/cache. */
export function sdkSchemas(): Readonly<Record<string, Schema>> {
  const { version } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')) as { version: string };
  const file = join(root, 'out', 'cache', `sdk-schemas-${version}-1.json`);
  if (loaded === undefined && !existsSync(file)) {
    mkdirSync(join(root, 'out', 'cache'), { recursive: true });
    writeFileSync(file, JSON.stringify(generate()));
  }
  loaded ??= JSON.parse(readFileSync(file, 'utf8')) as Record<string, Schema>;
  return loaded;
}

function generate(): Record<string, Schema> {
  const files = [...new Set(Object.values(sources))].map((name) => join(sdk, `${name}.d.ts`));
  const program = ts.createProgram(files, { strict: true, skipLibCheck: true, noEmit: true, types: [] });
  const checker = program.getTypeChecker();
  const defs: Record<string, Schema> = {};
  const ids = new Map<ts.Type, string>();
  const schemaOf = (type: ts.Type): Schema => {
    const plain = plainSchema(type, checker);
    if (plain !== undefined) return plain;
    if (type.isUnion()) return { anyOf: type.types.filter(isSent).map(schemaOf) };
    const known = ids.get(type);
    if (known !== undefined) return { $ref: known };
    const id = `${checker.typeToString(type)}#${String(ids.size)}`;
    ids.set(type, id);
    defs[id] = objectSchema(type, checker, schemaOf);
    return { $ref: id };
  };
  for (const [name, from] of Object.entries(sources)) {
    const file = program.getSourceFile(join(sdk, `${from}.d.ts`));
    const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    const symbol = module && checker.getExportsOfModule(module).find((exported) => exported.name === name);
    if (symbol === undefined) throw new Error(`The SDK has no type ${name}`);
    defs[name] = schemaOf(checker.getDeclaredTypeOfSymbol(symbol));
  }
  return defs;
}

function isSent(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.Undefined) === 0;
}

function plainSchema(type: ts.Type, checker: ts.TypeChecker): Schema | undefined {
  const { flags } = type;
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
  if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
  if (flags & ts.TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === 'true' };
  if (flags & ts.TypeFlags.StringLike) return { type: 'string' };
  if (flags & ts.TypeFlags.NumberLike) return { type: 'number' };
  if (flags & ts.TypeFlags.Null) return { type: 'null' };
  // `string & {}` keeps a list of known names open.
  if (type.isIntersection() && type.types.some((part) => part.flags & ts.TypeFlags.String)) return { type: 'string' };
  return undefined;
}

function objectSchema(type: ts.Type, checker: ts.TypeChecker, schemaOf: (type: ts.Type) => Schema): Schema {
  const element = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;
  if (element !== undefined) return { type: 'array', items: schemaOf(element) };
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const property of type.getProperties()) {
    properties[property.name] = schemaOf(checker.getTypeOfSymbol(property));
    if ((property.flags & ts.SymbolFlags.Optional) === 0) required.push(property.name);
  }
  return { type: 'object', properties, required };
}

/** Where a value does not fit the SDK's type; undefined when it fits. Fields that the type lacks are no misfit. */
export function misfit(value: unknown, type: SdkType): string | undefined {
  const defs = sdkSchemas();
  const check = (held: unknown, schema: Schema, path: string): string | undefined => {
    if (schema.$ref !== undefined) return check(held, defs[schema.$ref] ?? {}, path);
    if ('const' in schema) return held === schema.const ? undefined : `${path} is not ${JSON.stringify(schema.const)}`;
    if (schema.anyOf !== undefined) return checkUnion(held, schema.anyOf, path);
    if (schema.type === undefined) return undefined;
    if (kindOf(held) !== schema.type) return `${path} is no ${schema.type}`;
    if (Array.isArray(held)) {
      return firstOf(held.map((item: unknown, i) => check(item, schema.items ?? {}, `${path}.${String(i)}`)));
    }
    return isObject(held) ? checkFields(held, schema, path) : undefined;
  };
  const checkFields = (held: Readonly<Record<string, unknown>>, schema: Schema, path: string): string | undefined => {
    const missing = schema.required?.find((key) => held[key] === undefined);
    if (missing !== undefined) return `${path}.${missing} is missing`;
    return firstOf(
      Object.entries(schema.properties ?? {}).map(([key, of]) =>
        held[key] === undefined ? undefined : check(held[key], of, `${path}.${key}`),
      ),
    );
  };
  const checkUnion = (held: unknown, members: readonly Schema[], path: string): string | undefined => {
    const misfits = meant(held, members, defs).map((member) => check(held, member, path));
    if (misfits.includes(undefined)) return undefined;
    // The member that went wrong deepest is the one that was meant.
    return misfits.reduce((deepest, text) => (depth(text) > depth(deepest) ? text : deepest));
  };
  return check(value, defs[type] ?? {}, type);
}

/** The members of a union that have the value's own `type`, where it has one that any of them has; else all. */
function meant(held: unknown, members: readonly Schema[], defs: Readonly<Record<string, Schema>>): readonly Schema[] {
  if (!isObject(held) || typeof held['type'] !== 'string') return members;
  const found = members.filter(({ $ref }) => defs[$ref ?? '']?.properties?.['type']?.const === held['type']);
  return found.length > 0 ? found : members;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function depth(text: string | undefined): number {
  return text?.split(' ')[0]?.split('.').length ?? 0;
}

function firstOf(misfits: readonly (string | undefined)[]): string | undefined {
  return misfits.find((text) => text !== undefined);
}
