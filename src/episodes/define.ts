// What an agent remembers, as its developer defines it: kind, scope, schema, identity (EPI-100). Stores nothing.
import { z } from 'zod';
import { DIMENSIONS, type Dimension } from '../config/index.ts';
import { MEMORY_KINDS, type MemoryKind } from '../model/episode.ts';
import { BackstoryError, shownValue } from '../model/errors.ts';

/** A zod 4 object schema, of this copy of zod or another. */
export type DataSchema = z.ZodObject;

export interface MemoryDefinition<Schema extends DataSchema = DataSchema> {
  readonly kind: MemoryKind;
  readonly scope: readonly Dimension[];
  readonly schema: Schema;
  /** Of facts: the keys of data that say what a fact is about. Default: subject and predicate. */
  readonly identity?: readonly string[];
  /** For the model: what to remember. */
  readonly description?: string;
}

export const DEFAULT_IDENTITY: readonly string[] = ['subject', 'predicate'];

// Tells a definition made by another copy of this package: routes are loaded by a loader of their own.
const BRAND = Symbol.for('backstory.memory-definition');

/** Checked at once. Throws `definition_invalid`, naming what is wrong. */
export function defineMemory<Schema extends DataSchema>(
  definition: MemoryDefinition<Schema>,
): MemoryDefinition<Schema> {
  return Object.freeze(Object.defineProperty(checked(definition), BRAND, { value: true })) as MemoryDefinition<Schema>;
}

/** A definition from wherever it came. Throws `definition_invalid`; `file` is named. */
export function asDefinition(value: unknown, file?: string): MemoryDefinition {
  if (value !== null && typeof value === 'object' && BRAND in value) return value as unknown as MemoryDefinition;
  throw invalid('it is not what defineMemory returned', file);
}

/** Without a definition: an event in words (EPI-190). */
export function eventDefinition(scope: readonly Dimension[]): MemoryDefinition {
  return defineMemory({ kind: 'episodic', scope, schema: z.object({ event: z.string() }) });
}

/** `file` or the definition itself, and why. Never holds what a file says. */
export function invalid(reason: string, file?: string, cause?: unknown): BackstoryError {
  return new BackstoryError(
    'definition_invalid',
    `${file === undefined ? 'The memory definition' : `The memory definition in ${file}`} is not valid: ${reason}.`,
    'Export what defineMemory({ kind, scope, schema }) returns, with a zod 4 object schema.',
    { details: { reason, ...(file === undefined ? {} : { file }) }, ...(cause === undefined ? {} : { cause }) },
  );
}

/** Whether a record of this identity is one and the same fact, by these keys. */
export function identityKeys(definition: MemoryDefinition): readonly string[] {
  return definition.identity ?? DEFAULT_IDENTITY;
}

const KEYS = ['kind', 'scope', 'schema', 'identity', 'description'];

function checked<Schema extends DataSchema>(given: MemoryDefinition<Schema>): MemoryDefinition<Schema> {
  if (given === null || typeof given !== 'object') throw invalid('it is no object');
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw invalid(`it has ${JSON.stringify(unknown)}; known are ${KEYS.join(', ')}`);
  const { kind, scope, schema, identity, description } = given;
  if (!(MEMORY_KINDS as readonly unknown[]).includes(kind)) {
    throw invalid(
      `kind is ${kind === undefined ? 'absent' : shownValue(kind)}; allowed are ${MEMORY_KINDS.join(', ')}`,
    );
  }
  if (!Array.isArray(scope) || scope.length === 0) throw invalid('scope names no dimension');
  const strange = scope.find((name) => !DIMENSIONS.includes(name));
  if (strange !== undefined) {
    throw invalid(`scope has ${shownValue(strange)}; dimensions are ${DIMENSIONS.join(', ')}`);
  }
  if (new Set(scope).size < scope.length) throw invalid('scope names a dimension twice');
  const shape = shapeOf(schema);
  if (shape === undefined) throw invalid('schema is no zod 4 object schema');
  if (identity !== undefined && (!Array.isArray(identity) || identity.length === 0)) throw invalid('identity is empty');
  if (identity !== undefined || kind === 'semantic') {
    const missing = (identity ?? DEFAULT_IDENTITY).find((key) => !shape.includes(key));
    if (missing !== undefined) throw invalid(`the identity key ${JSON.stringify(missing)} is not in the schema`);
  }
  if (description !== undefined && typeof description !== 'string') throw invalid('description is no text');
  try {
    jsonSchemaOf(schema);
  } catch (cause) {
    throw invalid('schema cannot be written as JSON Schema', undefined, cause);
  }
  return { ...given, scope: DIMENSIONS.filter((dimension) => scope.includes(dimension)) };
}

/** JSON Schema of what a model may give as data. */
export function jsonSchemaOf(schema: DataSchema): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest as Record<string, unknown>;
}

// Told by zod's own mark and not by instanceof: the host may have another copy of zod 4.
function shapeOf(schema: unknown): readonly string[] | undefined {
  const inner = (schema as { _zod?: { def?: { type?: string; shape?: object } } } | null | undefined)?._zod?.def;
  return inner?.type === 'object' && inner.shape ? Object.keys(inner.shape) : undefined;
}
