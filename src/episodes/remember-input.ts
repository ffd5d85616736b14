// Arguments of remember: only the tool's own, data by the schema, and JSON (EPI-101). Says what is wrong in one line.
import { cutText, type JsonObject, RECORD_BOUNDS } from '../model/episode.ts';
import { BackstoryError, nearest } from '../model/errors.ts';
import { type DataSchema, jsonSchemaOf, type MemoryDefinition } from './define.ts';

export interface RememberArguments {
  readonly data: JsonObject;
  readonly content?: string;
  readonly tags?: readonly string[];
  readonly confidence?: number;
}

const KNOWN = ['data', 'content', 'tags', 'confidence'];
const SHOWN_ISSUES = 8;
const ISSUE_CHARS = 500;

/** Throws `invalid_argument` for an argument that is none of the tool's, naming the first (E-162). */
export async function checkRemember(
  given: unknown,
  definition: Pick<MemoryDefinition, 'schema'>,
): Promise<RememberArguments | { readonly rejected: string }> {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    return rejected(['(arguments): expected an object with data']);
  }
  const unknown = Object.keys(given).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) throw notAnArgument(unknown);
  const { data, content, tags, confidence } = given as Record<string, unknown>;
  const issues: string[] = [];
  if (content !== undefined && typeof content !== 'string') issues.push('content: expected a text');
  if (tags !== undefined) issues.push(...tagIssues(tags));
  if (confidence !== undefined && !(typeof confidence === 'number' && confidence >= 0 && confidence <= 1)) {
    issues.push('confidence: expected a number from 0 to 1');
  }
  const parsed = await parse(definition.schema, data);
  if ('issues' in parsed) issues.push(...parsed.issues);
  if (issues.length > 0 || 'issues' in parsed) return rejected(issues);
  return {
    data: parsed.data,
    ...(typeof content === 'string' && content.trim() !== '' ? { content } : {}),
    ...(tags === undefined ? {} : { tags: tags as string[] }),
    ...(confidence === undefined ? {} : { confidence: confidence as number }),
  };
}

/** JSON Schema of the tool's arguments. */
export function rememberSchema(definition: MemoryDefinition): Record<string, unknown> {
  return {
    type: 'object',
    properties: {
      data: jsonSchemaOf(definition.schema),
      content: {
        type: 'string',
        maxLength: RECORD_BOUNDS.content,
        description: 'One sentence that recall will show; the data itself when left out.',
      },
      tags: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: RECORD_BOUNDS.tag },
        maxItems: RECORD_BOUNDS.tags,
        description: 'Words to find it by.',
      },
      confidence: { type: 'number', minimum: 0, maximum: 1, description: 'How sure it is. Default: 1.' },
    },
    required: ['data'],
    additionalProperties: false,
  };
}

// What the schema returns is stored, so that has to be JSON.
async function parse(
  schema: DataSchema,
  data: unknown,
): Promise<{ readonly data: JsonObject } | { readonly issues: readonly string[] }> {
  let result: Awaited<ReturnType<DataSchema['safeParseAsync']>>;
  try {
    result = await schema.safeParseAsync(data);
  } catch {
    return { issues: ['data: the schema could not read it'] };
  }
  if (!result.success) {
    return { issues: result.error.issues.map(({ path, message }) => `${pathOf(path)}: ${message}`) };
  }
  const problem = notJson(result.data, '', 0);
  if (problem !== undefined) return { issues: [problem] };
  return { data: JSON.parse(JSON.stringify(result.data)) as JsonObject };
}

function notJson(value: unknown, path: string, depth: number): string | undefined {
  const at = path || 'data';
  if (depth > 100) return `${at}: it is nested too deeply`;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${at}: it is no number of JSON`;
  if (value === undefined && path !== '') return undefined;
  if (typeof value !== 'object') return `${at}: it is no JSON`;
  const isPlain = Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
  if (!isPlain) return `${at}: it is no JSON`;
  for (const [key, each] of Object.entries(value)) {
    const problem = notJson(each, path === '' ? key : `${path}.${key}`, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function tagIssues(tags: unknown): string[] {
  if (!Array.isArray(tags)) return ['tags: expected a list of texts'];
  if (tags.length > RECORD_BOUNDS.tags) return [`tags: at most ${RECORD_BOUNDS.tags}`];
  return tags.flatMap((tag: unknown, index) => {
    if (typeof tag !== 'string' || tag.trim() === '') return [`tags.${index}: expected a text`];
    return tag.length > RECORD_BOUNDS.tag ? [`tags.${index}: at most ${RECORD_BOUNDS.tag} characters`] : [];
  });
}

// Paths of a schema: `ticketId`, `lines.0.sku`.
function pathOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'data' : path.map(String).join('.');
}

function rejected(issues: readonly string[]): { readonly rejected: string } {
  const more = issues.length > SHOWN_ISSUES ? `; ${issues.length - SHOWN_ISSUES} more` : '';
  return {
    rejected: `Rejected: ${issues
      .slice(0, SHOWN_ISSUES)
      .map((issue) => cutText(issue, ISSUE_CHARS))
      .join('; ')}${more}.`,
  };
}

function notAnArgument(name: string): BackstoryError {
  const near = nearest(name, KNOWN);
  return new BackstoryError(
    'invalid_argument',
    `remember takes no ${JSON.stringify(name)}.`,
    `${near === undefined ? '' : `Did you mean ${JSON.stringify(near)}? `}It takes ${KNOWN.join(', ')}; the rest is set by the host.`,
    { details: { option: name, known: KNOWN } },
  );
}
