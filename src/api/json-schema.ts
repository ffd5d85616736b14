// The input of an operation as JSON Schema, for models and for OpenAPI (SUR-30). Written out by hand from the table of
// parameters, without zod, so that tool definitions cost a host nothing. A property test holds it
// to what readInput() takes; numeric strings are taken besides (SUR-2), and a model is told of numbers only.
import type { Operation } from './operation.ts';
import { boundsOf, type Parameter } from './parameters.ts';

/** A JSON Schema (2020-12), complete and without references. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Strict: an unknown parameter is refused. Parameters for operators are left out for others. */
export function inputJsonSchema(operation: Operation, isOperator = false): JsonSchema {
  return objectSchema(operation.parameters, isOperator);
}

/** One parameter, described. */
export function parameterSchema(parameter: Parameter, isOperator: boolean): JsonSchema {
  const { summary, standard } = parameter;
  const description = standard === undefined ? summary : `${summary} Default: ${standard}.`;
  return { ...valueSchema(parameter, isOperator), description };
}

function objectSchema(table: Readonly<Record<string, Parameter>>, isOperator: boolean): JsonSchema {
  const shown = Object.entries(table).filter(([, parameter]) => isOperator || !parameter.operatorOnly);
  const required = shown.flatMap(([name, parameter]) => (parameter.required ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(shown.map(([name, parameter]) => [name, parameterSchema(parameter, isOperator)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function valueSchema(parameter: Parameter, isOperator: boolean): JsonSchema {
  switch (parameter.type) {
    case 'text':
    case 'time':
      return { type: 'string' };
    case 'boolean':
      return { type: 'boolean' };
    case 'integer': {
      const { min, max } = boundsOf(parameter, isOperator);
      return { type: 'integer', minimum: min, maximum: max };
    }
    case 'number':
      return { type: 'number', minimum: parameter.min, maximum: parameter.max };
    case 'data':
      return { type: 'object' };
    case 'choice':
      return { type: 'string', enum: parameter.of };
    case 'choices':
      return { type: 'array', items: { type: 'string', enum: parameter.of } };
    case 'texts':
      return { type: 'array', items: { type: 'string' }, maxItems: parameter.maxItems };
    case 'dataList':
      return { type: 'array', items: { type: 'object' } };
    case 'objects':
      return { type: 'array', items: objectSchema(parameter.fields, isOperator), maxItems: parameter.maxItems };
  }
}
