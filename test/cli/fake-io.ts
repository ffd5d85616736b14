// The outside world of the command line for tests: streams are kept, the clock stands still.
import type { Io } from '../../src/cli/io.ts';

export interface KeptIo extends Io {
  readonly kept: { out: string; err: string };
}

export const NOW: number = Date.parse('2026-09-01T12:00:00.000Z');

export function keptIo(changes: Partial<Io> = {}): KeptIo {
  const kept = { out: '', err: '' };
  return {
    env: {},
    cwd: '/nowhere',
    userHome: '/nowhere/home',
    platform: 'linux',
    machineOffset: () => 120,
    clock: { now: () => NOW, elapsed: () => performance.timeOrigin },
    outIsTerminal: false,
    errIsTerminal: false,
    columns: 80,
    input: async () => '',
    ...changes,
    out: (text) => {
      kept.out += text;
    },
    err: (text) => {
      kept.err += text;
    },
    kept,
  };
}
