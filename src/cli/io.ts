// The outside world of the command line, as values: so that tests run it in process. Only processIo() touches the process.
import { once } from 'node:events';
import { homedir } from 'node:os';
import { type Clock, systemClock } from '../model/clock.ts';

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The user's home folder. */
  readonly userHome: string;
  readonly platform: NodeJS.Platform;
  /** Minutes that the machine's zone is ahead of UTC at an instant: for showing times, never for reading them (COM-10). */
  machineOffset(at: number): number;
  readonly clock: Clock;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  readonly columns: number;
  /** Where a progress bar moves its cursor; absent where there is no terminal. */
  readonly errStream?: NodeJS.WriteStream;
  out(text: string): void;
  /** Resolves when standard output takes more; absent: at once. */
  drained?(): Promise<void>;
  err(text: string): void;
  /** Asks a person one line; absent where nobody is there. */
  ask?(question: string): Promise<string>;
  /** Everything on standard input. */
  input(): Promise<string>;
}

export function processIo(): Io {
  return {
    env: process.env,
    cwd: process.cwd(),
    userHome: homedir(),
    platform: process.platform,
    // Asking Intl for the name of the zone would load its data: 20 ms of a start.
    machineOffset: (at) => -new Date(at).getTimezoneOffset(),
    clock: systemClock,
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    columns: process.stdout.columns ?? 80,
    errStream: process.stderr,
    out: (text) => void process.stdout.write(text),
    drained: async () => {
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    },
    err: (text) => void process.stderr.write(text),
    ...(process.stdin.isTTY === true && process.stderr.isTTY === true ? { ask } : {}),
    input: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
