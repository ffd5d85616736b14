// From global flags, environment and configuration to an open engine: the only place of cli/ that opens one.
import { access } from 'node:fs/promises';
import type { Backstory, Caller } from '../api/face.ts';
import type { Io } from './io.ts';
import type { Parsed } from './parse.ts';
import { paintFor } from './render/paint.ts';
import type { Look } from './render/hits.ts';

export interface Opened {
  readonly backstory: Backstory;
  readonly caller: Caller;
  readonly home: string;
  readonly look: Look;
}

/** Opens the engine, runs `work`, closes it. The command line is an operator (COM-50). */
export async function withEngine<T>(io: Io, parsed: Parsed, work: (opened: Opened) => Promise<T>): Promise<T> {
  throw new Error(String([io, parsed, work, access, paintFor]));
}
