import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt } from '../base/json.ts';
import { MCP_TOOLSET } from '../base/mcpToolset.ts';
import type { EpochStarted } from '../session/entries.ts';
import { toolKey } from '../session/toolChanges.ts';
import { mcpToolset } from '../tools/mcp.ts';
import type { AnyTool, ServerTool } from '../tools/tool.ts';
import { filtersByCode, isProgrammable } from '../tools/toolVersion.ts';
import type { ChosenModel, PrefixSource } from './prefix.ts';

/** What the declaration of tools depends on in a model. */
interface ToolHost {
  readonly id: string;
  has(tool: ServerTool): boolean;
  readonly programmatic: boolean;
}

/** The tools of a request to this model, in the order in which they are always declared. */
export function toolsFor(source: PrefixSource, { id, info }: ChosenModel): ToolUnion[] {
  const has = ({ capability, onlyWhenStated }: ServerTool): boolean =>
    info?.serverTools[capability] ?? onlyWhenStated !== true;
  return declareTools(source, { id, has, programmatic: info?.programmatic === true });
}

/** The tools of an epoch again, in the versions that are right now: what it had its model still has. */
export function redeclareTools(source: PrefixSource, epoch: Pick<EpochStarted, 'model' | 'tools'>): ToolUnion[] {
  const had = new Set(epoch.tools.map(toolKey));
  const host = {
    id: epoch.model,
    has: (tool: ServerTool) => epoch.tools.some((one) => nameOf(one) === tool.name || tool.calls.includes(nameOf(one))),
    programmatic: !epoch.tools.some(isDirectOnly),
  };
  return declareTools(source, host).filter((tool) => had.has(toolKey(tool)));
}

/** Under this name it is kept that a model at an address refused a version of a tool. */
export function toolVersionKey(source: PrefixSource, model: string, version: string): string {
  return `${source.config.baseUrl}\n${model}\n${version}`;
}

function declareTools(source: PrefixSource, model: ToolHost): ToolUnion[] {
  // Web tools that filter by code need a container that can call tools (Messages API, "Server tools").
  const codeVersion = versionOf(source, model, 'code_execution');
  const codeIsOld = codeVersion !== undefined && !isProgrammable(codeVersion);
  const fits = (version: string): boolean => !codeIsOld || !filtersByCode(version);
  const takesMcp = !source.refusedVersions.has(toolVersionKey(source, model.id, MCP_TOOLSET));
  const servers = takesMcp ? source.config.mcp : [];
  const wish = {
    model: model.id,
    web: source.config.web,
    advisor: source.config.advisor,
    deferring: servers.some(({ deferred }) => deferred),
    programmatic: model.programmatic && !codeIsOld,
    readWorkspace: source.config.readWorkspace && codeVersion !== undefined,
  };
  const canSearch = versionOf(source, model, 'tool_search') !== undefined;
  const tools = source.tools.flatMap((tool) => {
    if (tool.kind === 'server' && !model.has(tool)) return [];
    const version = chooseVersion(source, model.id, tool, fits);
    // An address that knows none of the tool's types may know tools with a schema: what runs is the same.
    if (tool.kind === 'client' && version === undefined && tool.versions.length > 0)
      return tool.plain ? [tool.plain()] : [];
    if (tool.kind === 'client') return tool.declare(version, wish) ?? [];
    return version === undefined ? [] : (tool.declare(version, wish) ?? []);
  });
  return [...tools, ...servers.map((server) => mcpToolset(server, canSearch))];
}

/** The version in which a server tool would be declared; undefined where the model has not got it. */
function versionOf(source: PrefixSource, model: ToolHost, name: string): string | undefined {
  const tool = source.tools.find((one): one is ServerTool => one.kind === 'server' && one.name === name);
  return tool !== undefined && model.has(tool) ? chooseVersion(source, model.id, tool) : undefined;
}

/** The user's pin, else the newest version that this model at this address did not refuse. */
function chooseVersion(
  source: PrefixSource,
  model: string,
  tool: AnyTool,
  fits: (version: string) => boolean = () => true,
): string | undefined {
  const pinned = source.config.toolVersions[tool.name];
  if (pinned !== undefined && tool.versions.includes(pinned) && fits(pinned)) return pinned;
  return tool.versions.find(
    (version) => fits(version) && !source.refusedVersions.has(toolVersionKey(source, model, version)),
  );
}

/** Declared for a model whose containers can't call tools. */
function isDirectOnly(tool: ToolUnion): boolean {
  const callers = isObject(tool) ? tool['allowed_callers'] : undefined;
  return Array.isArray(callers) && callers.length === 1 && callers[0] === 'direct';
}

function nameOf(tool: ToolUnion): string {
  return stringAt(tool, 'name') ?? '';
}
