// From flags to a memory context or a namespace (EPI-190). Names are plain values in a shell: encoding is ours.
import type { Backstory, MemoryContext } from '../../api/face.ts';
import { DIMENSIONS, type Dimension, type Scope } from '../../config/index.ts';
import { eventDefinition } from '../../episodes/define.ts';
import { formatNamespace, normalRoute, parseNamespace } from '../../episodes/namespace.ts';
import { BackstoryError } from '../../model/errors.ts';
import type { Parsed } from '../parse.ts';

const FLAG: Readonly<Record<Dimension, string>> = {
  workspace: 'workspace',
  route: 'route',
  tenant: 'tenant',
  user: 'user',
  agent: 'agent-scope',
};

/**
 * The context that the flags name, or undefined where they name none. Throws `scope_unresolved` where they leave a dimension
 * without a value.
 */
export async function namedContext(
  parsed: Parsed,
  backstory: Backstory,
  agentFlag?: string,
): Promise<MemoryContext | undefined> {
  const { namespace, scope } = given(parsed);
  if (namespace === undefined && dimensionsOf(scope).length === 0) return undefined;
  const memory = await contextFrom(parsed, backstory, agentFlag);
  if (memory.namespace !== undefined) return memory;
  throw new BackstoryError(
    'scope_unresolved',
    'The flags leave dimensions of the memory without a value.',
    'Give each of memory.scope, such as --route /support, or --namespace.',
  );
}

/**
 * The context that the flags name; `agentFlag` says whose store. Throws `invalid_argument` for a dimension that this memory
 * does not have.
 */
export async function contextFrom(
  parsed: Parsed,
  { episodes }: Backstory,
  agentFlag = 'agent',
): Promise<MemoryContext> {
  const agent = parsed.value(agentFlag);
  const whose = agent === undefined ? {} : { agent };
  const { namespace, scope } = given(parsed);
  if (namespace !== undefined) {
    const named = parseNamespace(namespace);
    const { route } = named;
    const own = await episodes.context({ ...whose, ...(route === undefined ? {} : { route }), scope: named });
    if (own.namespace === namespace) return own;
    // Another scope than the settings', so no definition of a route is meant.
    return episodes.context({ ...whose, scope: named, definition: eventDefinition(dimensionsOf(named)) });
  }
  const { route, ...rest } = scope;
  const context = await episodes.context({ ...whose, ...(route === undefined ? {} : { route }), scope: rest });
  if (context.namespace === undefined) return context;
  const known = parseNamespace(context.namespace);
  const other = dimensionsOf(scope).find((dimension) => known[dimension] === undefined);
  if (other === undefined) return context;
  throw new BackstoryError(
    'invalid_argument',
    `--${FLAG[other]} is no dimension of this memory, whose namespace is ${JSON.stringify(context.namespace)}.`,
    'Leave it out, set memory.scope, or name the whole with --namespace.',
    { details: { parameter: FLAG[other], dimensions: dimensionsOf(known) } },
  );
}

/** The namespace that an operator's flags name, by its dimensions or whole; undefined when they name none. */
export async function namespaceFrom(parsed: Parsed, { episodes }: Backstory): Promise<string | undefined> {
  const { namespace, scope } = given(parsed);
  if (namespace !== undefined || dimensionsOf(scope).length === 0) return namespace;
  if (scope.workspace !== undefined) return formatNamespace(scope);
  // The project's own name, as every context has it.
  const own = await episodes.context({ definition: eventDefinition(['workspace']) });
  return formatNamespace({ ...scope, ...(own.namespace === undefined ? {} : parseNamespace(own.namespace)) });
}

function given(parsed: Parsed): { readonly namespace: string | undefined; readonly scope: Scope } {
  const namespace = parsed.value('namespace');
  const entries = DIMENSIONS.flatMap((dimension): [Dimension, string][] => {
    const value = parsed.value(FLAG[dimension]);
    return value === undefined ? [] : [[dimension, dimension === 'route' ? normalRoute(value) : value]];
  });
  const [first] = entries;
  if (namespace === undefined || first === undefined) return { namespace, scope: Object.fromEntries(entries) };
  throw new BackstoryError(
    'invalid_argument',
    `--namespace names the whole, and --${FLAG[first[0]]} was given as well.`,
    'Give either --namespace, or dimensions one by one.',
    { details: { options: ['namespace', FLAG[first[0]]] } },
  );
}

function dimensionsOf(scope: Scope): Dimension[] {
  return DIMENSIONS.filter((dimension) => scope[dimension] !== undefined);
}
