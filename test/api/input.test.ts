// How the input of an operation is read, by the table and by the schema derived from it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Backstory } from '../../src/api/face.ts';
import { inputJsonSchema } from '../../src/api/json-schema.ts';
import { execute } from '../../src/api/operation.ts';
import {
  OPERATIONS,
  operationNamed,
  remember,
  sessionsHistory,
  sessionsSearch,
  sync,
} from '../../src/api/operations.ts';
import { type Parameter, readInput } from '../../src/api/parameters.ts';
import { RESULTS, resultJsonSchema } from '../../src/api/results.ts';
import type { BackstoryError } from '../../src/model/errors.ts';

const read = (input: unknown, isOperator = false, operation: (typeof OPERATIONS)[number] = sessionsSearch as never) =>
  readInput(operation.name, operation.parameters, input, isOperator);

function errorOf(work: () => unknown): BackstoryError {
  try {
    work();
  } catch (error) {
    return error as BackstoryError;
  }
  throw new Error('it did not throw');
}

describe('the input of an operation', () => {
  it('SUR-2: an unknown parameter is an error that names the nearest known one', () => {
    const error = errorOf(() => read({ query: 'x', agnets: ['codex'] }));
    expect(error.code).toBe('invalid_argument');
    expect(error.message).toBe('sessions_search has no parameter "agnets": did you mean agents?');
    expect(error.hint).toContain('agents');
    expect(error.details).toEqual({ parameter: 'agnets', nearest: 'agents' });
  });

  it('SUR-2: numbers given as numeric strings are accepted', () => {
    expect(read({ query: 'x', limit: '7' })).toEqual({ query: 'x', limit: 7 });
    expect(read({ query: 'x', limit: ' 25 ' })).toEqual({ query: 'x', limit: 25 });
    for (const limit of ['7.5', '1e1', '', '0x7', 'seven', 7.5, Number.NaN, true, null]) {
      expect(errorOf(() => read({ query: 'x', limit })).code, String(limit)).toBe('invalid_argument');
    }
  });

  it('SUR-2: so are numbers with fractions', () => {
    const confidence = (value: unknown): unknown => read({ data: {}, confidence: value }, false, remember as never);
    expect(confidence('0.5')).toEqual({ data: {}, confidence: 0.5 });
    for (const value of ['1.1', '-0.5', '1e-1', '', 'half', null, true]) {
      expect(errorOf(() => confidence(value)).code, String(value)).toBe('invalid_argument');
    }
  });

  it('COM-2: a value out of range is an error that names parameter, value and range, and nothing is clamped', () => {
    const error = errorOf(() => read({ query: 'x', limit: 26 }));
    expect(error.message).toBe('limit is 26, and must be an integer from 1 to 25.');
    expect(read({ query: 'x', limit: 500 }, true)).toEqual({ query: 'x', limit: 500 });
    expect(errorOf(() => read({ query: 'x', limit: 501 }, true)).message).toContain('1 to 500');
    expect(errorOf(() => read({ session: 'k', limit: 201 }, false, sessionsHistory as never)).message).toContain(
      '1 to 200',
    );
  });

  it('COM-20: no error holds the text of a query', () => {
    const error = errorOf(() => read({ query: ['my own words'] }));
    expect(JSON.stringify(error)).not.toContain('my own words');
    expect(error.message).toBe('query is a list, and must be a string.');
  });

  it.each([
    ['a missing required one', {}, 'sessions_search needs query.'],
    ['a choice', { query: 'x', sort: 'best' }, 'sort is "best", and must be one of relevance, newest, oldest.'],
    [
      'a list of choices',
      { query: 'x', roles: ['user', 'system'] },
      'roles is ["user","system"], and must be a list of user, assistant, tool, thinking.',
    ],
    ['a boolean', { query: 'x', exact: 'yes' }, 'exact is "yes", and must be true or false.'],
    ['no object', 'x', 'The input of sessions_search is a value of type string, not an object of parameters.'],
  ])('COM-2: %s is named', (_, input, message) => {
    expect(errorOf(() => read(input)).message).toBe(message);
  });

  it('COM-50: what only operators may set is refused to others', () => {
    const input = { session: 'agent:a:main', raw: true };
    expect(errorOf(() => read(input, false, sessionsHistory as never)).code).toBe('operator_required');
    expect(read(input, true, sessionsHistory as never)).toEqual(input);
  });

  it('SUR-2: objects in lists are checked as well', () => {
    const operation = sync as never;
    expect(errorOf(() => read({ roots: [{ source: 'codex', paht: '/x' }] }, true, operation)).message).toBe(
      'sync has no parameter "roots[0].paht": did you mean path?',
    );
    expect(errorOf(() => read({ roots: [{ source: 'codex' }] }, true, operation)).message).toBe(
      'sync needs roots[0].path.',
    );
  });
});

describe('the schema of an operation', () => {
  it.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
    'SUR-2: that of %s, as models and OpenAPI have it, takes exactly what the table reads',
    (_, operation) => {
      const schemas = [false, true].map((isOperator) => z.fromJSONSchema(inputJsonSchema(operation, isOperator)));
      fc.assert(
        fc.property(inputOf(operation.parameters), fc.boolean(), (input, isOperator) => {
          const schema = schemas[Number(isOperator)]!;
          let table: unknown;
          try {
            // As JSON carries it, in which a zero has no sign.
            table = sent(readInput(operation.name, operation.parameters, input, isOperator));
          } catch {
            table = undefined;
          }
          // Numeric strings are taken besides: then the schema takes the numbers that were read.
          expect(schema.safeParse(table ?? input).success, JSON.stringify(input)).toBe(table !== undefined);
          if (schema.safeParse(input).success) expect(table).toEqual(sent(input));
        }),
        { numRuns: 300 },
      );
    },
  );

  it.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
    'SUR-30: %s has a name for models, a complete JSON Schema, and a description for every parameter',
    (name, operation) => {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      const schema = inputJsonSchema(operation, true) as {
        type: string;
        additionalProperties: boolean;
        properties: Record<string, { description?: string }>;
      };
      expect(schema.type).toBe('object');
      expect(schema.additionalProperties).toBe(false);
      expect(Object.keys(schema.properties)).toEqual(Object.keys(operation.parameters));
      for (const property of Object.values(schema.properties)) expect(property.description).toMatch(/\S/);
      expect(JSON.stringify(schema)).not.toContain('$ref');
    },
  );
});

describe('the table of operations', () => {
  it('SES-88: a model is told what the search is for, to pass the three keys together, and that recall has the memory', () => {
    const { description } = sessionsSearch;
    expect(description).toContain('exact words or phrases in raw transcripts');
    expect(description).toContain('session key, session id and message id of a hit together to sessions_history');
    expect(description).toContain('durable memory use recall');
  });

  it('SES-109: a history has the fields of the specification, and no others', () => {
    const schema = resultJsonSchema('sessions_history') as { properties: object; required: string[] };
    const sometimes = ['anchor', 'nextOffset', 'offset', 'warning'];
    const always = [
      ...['bytes', 'entries', 'indexing', 'more', 'omitted', 'sessionId', 'sessionKey', 'total', 'truncated', 'view'],
      'windows',
    ];
    expect(schema.required.toSorted()).toEqual(always.toSorted());
    expect(Object.keys(schema.properties).toSorted()).toEqual([...always, ...sometimes].toSorted());
  });

  it('SUR-1: names, who may call and whether they only read', () => {
    expect(OPERATIONS.map(({ name, who, readOnly }) => [name, who, readOnly])).toEqual([
      ['sessions_search', 'anyone', true],
      ['sessions_history', 'anyone', true],
      ['sessions_list', 'anyone', true],
      ['sessions_describe', 'anyone', true],
      ['sessions_append', 'operator', false],
      ['sessions_reset', 'operator', false],
      ['sessions_rewind', 'operator', false],
      ['sessions_switch', 'operator', false],
      ['sessions_compact', 'operator', false],
      ['sessions_archive', 'operator', false],
      ['sessions_delete', 'operator', false],
      ['sessions_current', 'operator', true],
      ['sync', 'operator', false],
      ['sources_list', 'operator', true],
      ['stats', 'anyone', true],
      ['doctor', 'operator', false],
      ['explain', 'operator', true],
      ['export', 'operator', false],
      ['import_archive', 'operator', false],
      ['runs_search', 'operator', true],
      ['search', 'anyone', true],
      ['recall', 'anyone', true],
      ['remember', 'anyone', false],
      ['memory_timeline', 'anyone', true],
      ['memory_list', 'operator', true],
      ['memory_inspect', 'operator', true],
      ['memory_approve', 'operator', false],
      ['memory_reject', 'operator', false],
      ['memory_forget', 'operator', false],
      ['memory_prune', 'operator', false],
      ['memory_consolidate', 'operator', false],
      ['memory_reflect', 'operator', false],
      ['erase', 'operator', false],
    ]);
  });

  it('SUR-1: every operation has a result schema, complete as JSON Schema', () => {
    expect(Object.keys(RESULTS).sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
    for (const { name } of OPERATIONS) {
      expect(resultJsonSchema(name)).toMatchObject({ type: 'object' });
      expect(JSON.stringify(resultJsonSchema(name))).not.toContain('$ref');
    }
  });

  it('SUR-1: every example is a valid input', () => {
    for (const operation of OPERATIONS) {
      for (const { input } of operation.examples) {
        expect(() => readInput(operation.name, operation.parameters, input, true), operation.name).not.toThrow();
      }
    }
  });

  it('COM-50: an operation for operators is refused to others before it reaches the engine', async () => {
    const untouched = {} as Backstory;
    for (const operation of OPERATIONS.filter(({ who }) => who === 'operator')) {
      await expect(execute(operation, untouched, { agentId: 'desk' })).rejects.toMatchObject({
        code: 'operator_required',
      });
    }
  });

  it('SUR-2: an unknown operation names the nearest', () => {
    expect(errorOf(() => operationNamed('session_search')).message).toBe(
      'There is no operation "session_search": did you mean sessions_search?',
    );
  });
});

/** Inputs near what is allowed: some right, some wrong, some with a parameter that is not there. */
function inputOf(parameters: Readonly<Record<string, Parameter>>): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [
      name,
      fc.oneof({ weight: 6, arbitrary: rightOf(parameter) }, { weight: 1, arbitrary: fc.jsonValue() }),
    ]),
  );
  const right = fc.record(fields, { requiredKeys: Object.keys(fields).filter((name) => parameters[name]!.required) });
  const extra = fc.oneof(
    { weight: 9, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constant({ other: 1 }) },
  );
  return fc.tuple(right, extra).map(([input, more]) => ({ ...input, ...more }));
}

// zod leaves out `__proto__`, which is no key of data.
const dictionary = fc.dictionary(
  fc.string().filter((key) => key !== '__proto__'),
  // As it comes out of JSON: there is no minus zero.
  fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
);

function rightOf(parameter: Parameter): fc.Arbitrary<unknown> {
  switch (parameter.type) {
    case 'text':
    case 'time':
      return fc.string();
    case 'boolean':
      return fc.boolean();
    case 'integer': {
      const number = fc.integer({ min: parameter.min - 1, max: Math.min(parameter.max + 1, 2 ** 31) });
      return fc.oneof(number, number.map(String));
    }
    case 'number': {
      const number = fc
        .double({ min: parameter.min - 0.5, max: parameter.max + 0.5, noNaN: true })
        .map((value) => (value === 0 ? 0 : value));
      return fc.oneof(number, number.map(String));
    }
    case 'data':
      return dictionary;
    case 'dataList':
      return fc.array(dictionary, { maxLength: 2 });
    case 'choice':
      return fc.constantFrom(...parameter.of);
    case 'choices':
      return fc.array(fc.constantFrom(...parameter.of), { maxLength: 3 });
    case 'texts':
      return fc.array(fc.string(), { maxLength: 3 });
    case 'objects':
      return fc.array(inputOf(parameter.fields), { maxLength: 2 });
  }
}

function sent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
