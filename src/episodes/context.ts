// A memory context: one agent's store, one namespace, one way of writing, fixed by the host (EPI-10 … EPI-15). Where a
// declared dimension has no value it is unavailable: nothing broader is ever used in its place.
import { join, relative, resolve, sep } from 'node:path';
import { DIMENSIONS, type Dimension, type ResolvedMemory, type Scope } from '../config/index.ts';
import type { MemoryRecord } from '../model/episode.ts';
import { BackstoryError, nearest } from '../model/errors.ts';
import { isAgentId } from '../model/ids.ts';
import { asDefinition, invalid, type MemoryDefinition } from './define.ts';
import { checkScope, formatNamespace, normalRoute } from './namespace.ts';

/** Asked before an active fact is replaced (EPI-106). */
export type AskChange = (change: {
  readonly namespace: string;
  readonly identity: Readonly<Record<string, unknown>>;
  readonly old: MemoryRecord;
  readonly new: MemoryRecord;
}) => 'allow' | 'deny' | Promise<'allow' | 'deny'>;

export interface ContextOptions {
  /** Whose store. */
  readonly agent?: string;
  /** As the host names it: `/support/[id]`. */
  readonly route?: string;
  /** From verified identity, never from a model. */
  readonly scope?: Scope;
  /** What defineMemory returned; else the route's memory.ts, else none. */
  readonly definition?: MemoryDefinition;
  /** Kept with what remember writes. */
  readonly threadId?: string;
  readonly runId?: string;
  readonly ask?: AskChange;
}

export interface ResolvedContext {
  readonly agentId: string;
  /** Undefined: unavailable, for want of `missing`. */
  readonly namespace: string | undefined;
  readonly missing: readonly Dimension[];
  readonly definition: MemoryDefinition | undefined;
  readonly threadId: string | undefined;
  readonly runId: string | undefined;
  readonly ask: AskChange | undefined;
}

export interface Project {
  /** The setting, or derived from the project around the config file (EPI-13). */
  readonly workspace: string;
  /** Absolute: below it each route may keep a memory.ts. */
  readonly routesDir: string;
  readonly exists: (path: string) => boolean;
  /** What a module exports by default. */
  readonly load: (path: string) => Promise<unknown>;
}

/** Throws `invalid_argument` for bad options, `definition_invalid`, `namespace_invalid`. Never for a missing dimension. */
export async function resolveContext(
  given: ContextOptions,
  settings: ResolvedMemory,
  project: Project,
): Promise<ResolvedContext> {
  const options = checkOptions(given);
  const agentId = options.agent ?? 'main';
  const route = options.route === undefined ? undefined : normalRoute(options.route);
  const definition = await definitionOf(options, route, project);
  const dimensions = definition?.scope ?? settings.scope;
  const scope = await valuesOf(dimensions, options, agentId, route, settings, project);
  const missing = dimensions.filter((dimension) => scope[dimension] === undefined);
  return {
    agentId,
    namespace: missing.length === 0 ? formatNamespace(scope) : undefined,
    missing,
    definition,
    threadId: options.threadId,
    runId: options.runId,
    ask: options.ask,
  };
}

/** What reads of an unavailable context throw (EPI-14). */
export function scopeUnresolved(missing: readonly Dimension[]): BackstoryError {
  return new BackstoryError(
    'scope_unresolved',
    `The memory scope has no ${missing.join(' and no ')}; nothing was read or written.`,
    `Give ${missing.join(' and ')} in scope (on the command line: ${missing.map(flagOf).join(' ')}), or have memory.resolveScope give it, from verified identity.`,
    { details: { dimensions: missing } },
  );
}

// The agent of a scope is no agent id: its flag has a name of its own.
function flagOf(dimension: Dimension): string {
  return dimension === 'agent' ? '--agent-scope NAME' : `--${dimension} NAME`;
}

const OPTIONS = ['agent', 'route', 'scope', 'definition', 'threadId', 'runId', 'ask'];

function checkOptions(given: ContextOptions): ContextOptions {
  if (given === null || typeof given !== 'object')
    throw badOption('The options', 'are no object', 'Give { agent, route }.');
  for (const key of Object.keys(given)) {
    if (OPTIONS.includes(key)) continue;
    const near = nearest(key, OPTIONS);
    const hint = near === undefined ? `Known are ${OPTIONS.join(', ')}.` : `Did you mean ${JSON.stringify(near)}?`;
    throw badOption(`The option ${JSON.stringify(key)}`, 'is not known', hint);
  }
  const { agent, route, scope, definition, threadId, runId, ask } = given;
  if (agent !== undefined && !(typeof agent === 'string' && isAgentId(agent))) {
    throw badOption('agent', 'is no agent id', 'An agent id is 1 to 64 of a–z, 0–9, - and _.');
  }
  for (const [name, value] of Object.entries({ route, threadId, runId })) {
    if (value !== undefined && typeof value !== 'string') throw badOption(name, 'is no text', 'Give it as a string.');
  }
  if (scope !== undefined && (scope === null || typeof scope !== 'object')) {
    throw badOption('scope', 'is no object', `Its keys are of ${DIMENSIONS.join(', ')}.`);
  }
  if (ask !== undefined && typeof ask !== 'function') throw badOption('ask', 'is no function', 'Leave it out.');
  if (scope !== undefined) checkScope(scope);
  if (definition !== undefined) asDefinition(definition);
  return given;
}

async function definitionOf(
  { definition }: ContextOptions,
  route: string | undefined,
  project: Project,
): Promise<MemoryDefinition | undefined> {
  if (definition !== undefined) return definition;
  if (route === undefined) return undefined;
  const path = join(project.routesDir, ...route.split('/').filter(Boolean), 'memory.ts');
  // A route is a name from outside: `..` in it must not reach another folder.
  const inside = relative(resolve(project.routesDir), resolve(path));
  if (inside.startsWith(`..${sep}`) || inside === '..' || route.includes('\0') || !project.exists(path))
    return undefined;
  let loaded: unknown;
  try {
    loaded = await project.load(path);
  } catch (error) {
    if (error instanceof BackstoryError && error.code === 'definition_invalid') {
      throw invalid(String(error.details?.reason ?? error.message), path, error);
    }
    throw invalid(reasonOf(error), path, error);
  }
  return asDefinition(loaded, path);
}

// The first line alone: loaders show the source below it.
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'it threw what is no error';
  return `it does not load (${message.split('\n')[0]!.slice(0, 300)})`;
}

async function valuesOf(
  dimensions: readonly Dimension[],
  options: ContextOptions,
  agentId: string,
  route: string | undefined,
  settings: ResolvedMemory,
  project: Project,
): Promise<Scope> {
  const values: { [dimension in Dimension]?: string } = {};
  const set = (dimension: Dimension, value: unknown): void => {
    if (values[dimension] === undefined && typeof value === 'string' && value !== '') values[dimension] = value;
  };
  for (const dimension of dimensions) {
    if (dimension === 'workspace') set(dimension, options.scope?.workspace ?? project.workspace);
    else if (dimension === 'route') set(dimension, routeValue(options.scope?.route) ?? route);
    else set(dimension, options.scope?.[dimension]);
  }
  const missing = dimensions.filter((dimension) => values[dimension] === undefined);
  // A value that was given and is empty stays missing: another source could be another tenant.
  const asked = missing.filter((dimension) => options.scope?.[dimension] === undefined);
  if (asked.length === 0 || settings.resolveScope === undefined) return values;
  try {
    const request = {
      agent: agentId,
      ...(route === undefined ? {} : { route }),
      scope: options.scope ?? {},
      missing: asked,
    };
    const found = (await settings.resolveScope(request)) ?? {};
    for (const dimension of asked) set(dimension, found[dimension]);
  } catch {
    // Fails closed: the dimensions stay missing (EPI-14).
  }
  return values;
}

function routeValue(route: string | undefined): string | undefined {
  return route === undefined || route === '' ? undefined : normalRoute(route);
}

function badOption(name: string, what: string, hint: string): BackstoryError {
  return new BackstoryError('invalid_argument', `${name} ${what}.`, hint, { details: { option: name } });
}
