// A retriever step by step: one method per option, then `build` (run-files.md §6).
import type { RetrieverOptions } from './options.ts';

type Methods<T> = {
  readonly [Name in keyof Required<RetrieverOptions>]: (
    value: NonNullable<RetrieverOptions[Name]>,
  ) => RetrieverBuilder<T>;
};

/** Each method answers the builder itself. `build` is synchronous and does no I/O; it throws `invalid_argument`. */
export type RetrieverBuilder<T> = Methods<T> & { build(): T };

const NAMES = {
  interpreter: true,
  masker: true,
  scope: true,
  episodeOf: true,
  ownsFile: true,
  otherAgents: true,
  versions: true,
  topK: true,
  index: true,
  home: true,
  onWarning: true,
  logger: true,
} as const satisfies Readonly<Record<keyof RetrieverOptions, true>>;

export function retrieverBuilder<T>(make: (options: RetrieverOptions) => T): RetrieverBuilder<T> {
  const options: Record<string, unknown> = {};
  const builder = { build: () => make({ ...options }) } as RetrieverBuilder<T>;
  for (const name of Object.keys(NAMES)) {
    const set = (value: unknown): RetrieverBuilder<T> => {
      options[name] = value;
      return builder;
    };
    Object.defineProperty(builder, name, { value: set, enumerable: true });
  }
  return builder;
}
