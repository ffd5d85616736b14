// Our own writer of run files (RUN-10). It never throws for the file system: a run must not end because its log cannot.
import { resolve } from 'node:path';
import { type Clock, systemClock } from '../model/clock.ts';
import { BackstoryError } from '../model/errors.ts';
import { checkedAgentName, shownValue } from './agent-name.ts';
import { type AppendWarning, RecordFiles } from './append.ts';
import { checkedPlace, historyLine, type LogFields, logLine, type RecordPlace } from './line.ts';
import type { Level } from './record.ts';
import type { RunFilesLogger } from './warnings.ts';

export interface WriterOptions {
  /** 0 to 999 999 999: writes to `episode-N/` below the run folder. Without it, to the run folder itself. */
  readonly episode?: number;
  readonly clock?: Clock;
  /** `write_failed`, once per file. What it throws is ignored. */
  readonly onWarning?: (warning: AppendWarning) => void;
  /** Told the same. Standard error unless given. */
  readonly logger?: RunFilesLogger;
}

/** A record to append; now, unless it has a time. With a level it goes to the `.log` file, else to `.history`. */
export type AppendedRecord = Partial<Pick<LogFields, 'time' | 'level' | 'error'>> &
  RecordPlace & { readonly message: string };

const MAX_EPISODE = 999_999_999;

export class AgentRecordWriter {
  readonly #agent: string;
  readonly #clock: Clock;
  readonly #files: RecordFiles;
  readonly #place: RecordPlace;

  private constructor(agent: string, clock: Clock, files: RecordFiles, place: RecordPlace) {
    this.#agent = agent;
    this.#clock = clock;
    this.#files = files;
    this.#place = place;
  }

  /**
   * Writes `Alice.history` and `Alice.log`; nothing is opened or made before the first record.
   * Throws `invalid_argument` for no agent name, an empty run folder, or an episode out of range.
   */
  static open(runFolder: string, agent: string, options: WriterOptions = {}): AgentRecordWriter {
    const { episode, clock = systemClock, onWarning, logger } = options;
    checkedAgentName(agent);
    if (typeof runFolder !== 'string' || runFolder === '') throw invalid('run folder', runFolder, 'Give a path.');
    if (episode !== undefined && !(Number.isInteger(episode) && episode >= 0 && episode <= MAX_EPISODE)) {
      throw invalid('episode', episode, `An episode is an integer from 0 to ${MAX_EPISODE}.`);
    }
    const files = new RecordFiles(resolve(runFolder), episode === undefined ? '' : `episode-${episode}`, {
      ...(onWarning === undefined ? {} : { onWarning }),
      ...(logger === undefined ? {} : { logger }),
    });
    return new AgentRecordWriter(agent, clock, files, {});
  }

  /** The same writer in another place; a missing field is `-`. Throws `invalid_argument` naming field and value (RUN-9). */
  in(place: RecordPlace): AgentRecordWriter {
    return new AgentRecordWriter(this.#agent, this.#clock, this.#files, checkedPlace(place));
  }

  /** Appends one record to the history. */
  history(message: string): void {
    this.append({ ...this.#place, message });
  }

  /** Appends one record to the log. */
  log(level: Level, message: string, error?: unknown): void {
    this.append({ ...this.#place, level, message, error });
  }

  /** Appends one record with fields of its own: for other loggers. */
  append(record: AppendedRecord): void {
    const { time = this.#clock.now(), level, ...rest } = record;
    const fields = { ...rest, time, agent: this.#agent };
    if (level === undefined) this.#files.append(`${this.#agent}.history`, historyLine(fields));
    else this.#files.append(`${this.#agent}.log`, logLine({ ...fields, level }));
  }

  /** Counts a record that could not be made, as one that could not be written: for other loggers. */
  refused(file: 'history' | 'log'): void {
    this.#files.failed(`${this.#agent}.${file}`, 'its fields do not fit a record line');
  }

  /** Records that did not reach their file, of this writer and all that `in` made. */
  get failures(): number {
    return this.#files.failures;
  }
}

function invalid(field: string, value: unknown, hint: string): BackstoryError {
  return new BackstoryError('invalid_argument', `The ${field} ${shownValue(value)} is not valid.`, hint, {
    details: { field },
  });
}
