// What a retriever warns of: once per file and code, in words that hold no text of a line (RUN-68, RUN-69).

export type RunFilesWarningCode =
  | 'outside_root'
  | 'no_conversation_field'
  | 'unreadable_header'
  | 'unindented_trace'
  | 'binary'
  | 'utf16'
  | 'unreadable'
  | 'unstable'
  | 'interpreter_failed'
  | 'masker_failed'
  | 'too_long_to_mask'
  | 'masked_in_parts'
  | 'index_rebuilt'
  | 'index_in_memory'
  | 'index_busy'
  | 'write_failed';

export interface RunFilesWarning {
  readonly code: RunFilesWarningCode;
  /** Below the run folder, masked. Absent for the index's own. */
  readonly file?: string;
  /** What was left out, and what to do. */
  readonly message: string;
}

/** Where warnings go besides `onWarning`. */
export interface RunFilesLogger {
  warn(text: string, fields: Readonly<Record<string, unknown>>): void;
}

const MESSAGES: Readonly<Record<Exclude<RunFilesWarningCode, 'write_failed'>, string>> = {
  outside_root: 'leads outside the run folder and was left out. Put the file itself there.',
  no_conversation_field:
    'has records of the current episode without a conversation field, which no conversation can claim; they were left out. Write the field, "[-]" outside any conversation.',
  unreadable_header:
    'has lines that begin like a record and are none of this agent; they were left out. Check the agent name and the fields in brackets.',
  unindented_trace:
    'has a stack trace at column 0; records inside it are given only to who may see both conversations. Indent the lines of a trace by two spaces.',
  binary: 'is binary and was left out. A record file is text without NUL.',
  utf16: 'is UTF-16 and was left out. Write it as UTF-8.',
  unreadable: 'could not be read; its records are hidden until it can be. Check its owner and mode.',
  unstable: 'changed while it was read; what was read before stays until the next search.',
  interpreter_failed: 'has records that the interpreter failed on; they were left out. Let it return a Reading.',
  masker_failed: 'has text that the masker failed on; it was left out. Let the masker return a string.',
  too_long_to_mask:
    'has records or lines over 4 MiB, and the masker cannot mask in parts; they were left out. Give the masker maskPart.',
  masked_in_parts:
    'is over 4 MiB and was masked in sections of 1 MiB, as the masker cannot mask in parts. Give it maskPart.',
  index_rebuilt: 'The index was damaged and was made again from the files.',
  index_in_memory:
    'The index cannot be kept in the home, so it is in memory and is made again after a restart. Check the folder and its disk.',
  index_busy: 'Another process is writing the index; this answer is of what was read before. Search again.',
};

const CHECK = 'Check its owner and mode.';

/** About a file that could not be read, by the code of the system's error. */
export function whatToDo(code: string): string {
  if (code === 'EILSEQ') return 'Its name is not UTF-8: rename it.';
  return code === 'ENAMETOOLONG' ? 'Its path is too long for the system: move it up.' : CHECK;
}

const OF_INDEX = new Set<RunFilesWarningCode>(['index_rebuilt', 'index_in_memory', 'index_busy']);

export class Warnings {
  readonly #given = new Set<string>();
  readonly #onWarning: ((warning: RunFilesWarning) => void) | undefined;
  readonly #logger: RunFilesLogger;

  constructor(onWarning: ((warning: RunFilesWarning) => void) | undefined, logger: RunFilesLogger) {
    this.#onWarning = onWarning;
    this.#logger = logger;
  }

  /** `file`: as it may be shown. `detail`: the code of a system's error. */
  give(code: keyof typeof MESSAGES, file?: string, detail?: string): void {
    const isOfIndex = OF_INDEX.has(code);
    const name = isOfIndex ? code : `${code}\n${file}`;
    if (this.#given.has(name)) return;
    this.#given.add(name);
    const text = MESSAGES[code];
    const what =
      detail === undefined
        ? text
        : text.replace('could not be read', `could not be read (${detail})`).replace(CHECK, whatToDo(detail));
    const warning: RunFilesWarning = isOfIndex
      ? { code, message: what }
      : { code, ...(file === undefined ? {} : { file }), message: `The file ${file} ${what}` };
    // A host's callback that throws must not end a search.
    try {
      this.#onWarning?.(warning);
    } catch {}
    try {
      this.#logger.warn(warning.message, { code, ...(warning.file === undefined ? {} : { file: warning.file }) });
    } catch {}
  }
}
