// What a host plugs into pino or winston so that they write through our writer (RUN-11). Neither is imported. A record
// whose fields no line can hold is counted in `writer.failures`, never thrown into the host's logging call.
import { Writable } from 'node:stream';
import { type LoggedFields, pinoFields, type WinstonInfo, winstonFields } from './loggers.ts';
import type { AgentRecordWriter } from './writer.ts';

/** `pino(options, pinoStream(writer))`: every line of pino becomes one record of the writer's `.log` file. */
export function pinoStream(writer: AgentRecordWriter): { write(jsonLine: string): void } {
  return { write: (jsonLine) => logged(writer, () => pinoFields(jsonLine)) };
}

/** `createLogger({ transports: [winstonTransport(writer)] })`: every info becomes one record of the writer's `.log` file. */
export function winstonTransport(writer: AgentRecordWriter): RecordTransport {
  return new RecordTransport(writer);
}

// What is read of the logger that a transport is added to; it comes with the stream's `pipe` event.
interface WinstonLogger {
  readonly level?: string;
  readonly levels?: Readonly<Record<string, number>>;
}

/** A winston transport: a stream of info objects that has a `log` method, and keeps to the logger's level itself. */
export class RecordTransport extends Writable {
  readonly #writer: AgentRecordWriter;
  #logger: WinstonLogger | undefined;

  constructor(writer: AgentRecordWriter) {
    super({ objectMode: true });
    this.#writer = writer;
    this.once('pipe', (source: unknown) => {
      this.#logger = source as WinstonLogger;
    });
  }

  log(info: WinstonInfo, next: () => void): void {
    if (this.#isWanted(String(info[Symbol.for('level')] ?? info.level))) {
      logged(this.#writer, () => winstonFields(info));
    }
    next();
  }

  override _write(info: WinstonInfo, _encoding: BufferEncoding, next: () => void): void {
    this.log(info, next);
  }

  #isWanted(level: string): boolean {
    const least = this.#logger?.levels?.[this.#logger.level ?? ''];
    const own = this.#logger?.levels?.[level];
    return least === undefined || own === undefined || own <= least;
  }
}

function logged(writer: AgentRecordWriter, fieldsOf: () => LoggedFields): void {
  try {
    writer.append(fieldsOf());
  } catch {
    writer.refused('log');
  }
}
