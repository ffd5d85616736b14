// The thread that reads files ahead of a sync: bytes to batches, by the readers there are. It opens no store.
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../model/clock.ts';
import { Batch } from '../sessions/batch.ts';
import { type PlannedFile, sourceNamed } from '../sources/index.ts';
import type { FileAsked, ReaderSettings, ReadTold, ToReader } from './reading-ahead.ts';

const port = parentPort!;
const { parse, toolInputChars, window } = workerData as ReaderSettings;
const dropped = new Set<number>();
// Batches that were given and not taken yet: the thread waits while there are many.
let given = 0;
let wake: (() => void) | undefined;
let queue: Promise<void> = Promise.resolve();

port.on('message', (asked: ToReader) => {
  if ('taken' in asked) {
    given -= asked.taken;
    wake?.();
  } else if ('drop' in asked) {
    dropped.add(asked.drop);
    wake?.();
  } else queue = queue.then(() => readOne(asked));
});

// What is handed to a thread loses its class: the numbers are those of the plan, the questions those of any stat.
const STAT: object = Object.getPrototypeOf(statSync('.', { bigint: true })) as object;

class Dropped extends Error {}

async function readOne({ no, source: name, instance, file }: FileAsked): Promise<void> {
  if (dropped.has(no)) return;
  let bytes = 0;
  const batch = new Batch(async (ops, counts, state) => {
    given++;
    tell({ no, ops, counts: [...counts], state, bytes });
    bytes = 0;
    while (given >= window && !dropped.has(no)) await new Promise<void>((resolve) => (wake = resolve));
    if (dropped.has(no)) throw new Dropped();
  });
  try {
    const outcome = await sourceNamed(name).read(
      instanceOf(instance),
      { ...file, stat: Object.setPrototypeOf(file.stat, STAT) as PlannedFile['stat'] },
      {
        state: undefined,
        parse,
        toolInputChars,
        clock: systemClock,
        openDatabase: () => {
          throw new Error('a plain file opens no database');
        },
        onBytes: (count) => {
          bytes += count;
        },
      },
      batch,
    );
    tell({ no, outcome, bytes });
  } catch (error) {
    if (error instanceof Dropped) return;
    const { code, message } = error as NodeJS.ErrnoException;
    tell({ no, failed: { message, ...(code === undefined ? {} : { code }) } });
  }
}

function tell(told: ReadTold): void {
  port.postMessage(told);
}

// Readers keep a buffer for each instance, by the object.
const instances = new Map<string, FileAsked['instance']>();

function instanceOf(instance: FileAsked['instance']): FileAsked['instance'] {
  const name = `${instance.source}\n${instance.root}`;
  const known = instances.get(name) ?? instance;
  instances.set(name, known);
  return known;
}
