// The input of an operation as a zod schema and as JSON Schema, for surfaces that hand it to models and to OpenAPI (SUR-30).
// Derived from the table of parameters; a property test holds that it takes what readInput() takes. The command line never
// loads this: zod alone costs it 30 to 45 ms.
import * as z from 'zod';
import type { Operation } from './operation.ts';
import { boundsOf, integerOf, type Parameter } from './parameters.ts';

/** Strict: an unknown parameter is refused. Parameters for operators are left out for others. */
export function inputSchema(operation: Operation, isOperator = false): z.ZodType<Record<string, unknown>> {
  return objectSchema(operation.parameters, isOperator);
}

/** JSON Schema (2020-12) of the input, complete and without references. */
export function inputJsonSchema(operation: Operation, isOperator = false): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(inputSchema(operation, isOperator), { io: 'output' });
  return schema;
}

function objectSchema(
  table: Readonly<Record<string, Parameter>>,
  isOperator: boolean,
): z.ZodType<Record<string, unknown>> {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, parameter] of Object.entries(table)) {
    if (parameter.operatorOnly && !isOperator) continue;
    const described = valueSchema(parameter, isOperator).describe(descriptionOf(parameter));
    shape[name] = parameter.required ? described : described.optional();
  }
  return z.strictObject(shape);
}

function valueSchema(parameter: Parameter, isOperator: boolean): z.ZodType {
  switch (parameter.type) {
    case 'text':
    case 'time':
      return z.string();
    case 'boolean':
      return z.boolean();
    case 'integer': {
      const { min, max } = boundsOf(parameter, isOperator);
      // Numeric strings are taken (SUR-2), and a model is told of numbers only.
      return z.preprocess((value) => integerOf(value) ?? value, z.int().min(min).max(max));
    }
    case 'number':
      return z.number().min(parameter.min).max(parameter.max);
    case 'data':
      return z.record(z.string(), z.unknown());
    case 'choice':
      return z.enum(parameter.of as [string, ...string[]]);
    case 'choices':
      return z.array(z.enum(parameter.of as [string, ...string[]]));
    case 'texts':
      return z.array(z.string()).max(parameter.maxItems);
    case 'dataList':
      return z.array(z.record(z.string(), z.unknown()));
    case 'objects':
      return z.array(objectSchema(parameter.fields, isOperator)).max(parameter.maxItems);
  }
}

function descriptionOf(parameter: Parameter): string {
  return parameter.standard === undefined ? parameter.summary : `${parameter.summary} Default: ${parameter.standard}.`;
}
