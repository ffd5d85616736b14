// The OpenAPI document, derived from the table of operations (SUR-40): paths, parameters, results, and every error.
import { ERROR_MEANINGS } from '../api/error-meanings.ts';
import { inputJsonSchema, parameterSchema } from '../api/json-schema.ts';
import { type Operation, withoutLocal } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { resultJsonSchema } from '../api/results.ts';
import { ERROR_CODES, type ErrorCode } from '../model/errors.ts';

/** OpenAPI 3.1 of the whole API. */
export function openApi(version: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Backstory',
      version,
      description: 'Everything your agents said and did, found by the exact words.',
    },
    security: [{ token: [] }, { cookie: [] }],
    paths: Object.fromEntries(
      OPERATIONS.filter(({ local }) => !local).map((operation) => [
        `/api/v1/${operation.name}`,
        pathOf(withoutLocal(operation)),
      ]),
    ),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'backstory' },
      },
      schemas: { Error: errorSchema() },
    },
  };
}

function pathOf(operation: Operation): object {
  const common = {
    summary: operation.summary,
    description: `${operation.description}\n\nFor ${operation.who === 'operator' ? 'operators' : 'any caller, within its scope'}.`,
    responses: responsesOf(operation),
  };
  const post = {
    ...common,
    operationId: operation.readOnly ? `${operation.name}_by_body` : operation.name,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: inputJsonSchema(operation, true) } },
    },
  };
  if (!operation.readOnly) return { post };
  const parameters = Object.entries(operation.parameters).map(([name, parameter]) => ({
    name,
    in: 'query',
    required: parameter.required === true,
    schema: parameterSchema(parameter, true),
    ...(parameter.type === 'choices' || parameter.type === 'texts' ? { style: 'form', explode: false } : {}),
  }));
  return { get: { ...common, operationId: operation.name, parameters }, post };
}

function responsesOf(operation: Operation): object {
  const error = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
  return {
    200: {
      description: 'The result.',
      content: { 'application/json': { schema: resultJsonSchema(operation.name) } },
    },
    default: { description: 'An error; its status is that of its code.', ...error },
  };
}

function errorSchema(): object {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'hint'],
        properties: {
          code: {
            type: 'string',
            enum: codes,
            description: codes.map((code) => `${code} (${ERROR_CODES[code].http}): ${ERROR_MEANINGS[code]}`).join('\n'),
          },
          message: { type: 'string' },
          hint: { type: 'string' },
          details: { type: 'object' },
        },
      },
    },
  };
}
