// The options of a retriever and what is checked of them before anything is read (RUN-26, RUN-29, RUN-63).
import { createHash } from 'node:crypto';
import { BackstoryError, nearest } from '../model/errors.ts';
import { checkedTopK } from '../model/retrieval.ts';
import { Masker } from '../redact/masker.ts';
import { TOKENIZER_ID } from '../text/index.ts';
import { checkedAgentName, shownValue } from './agent-name.ts';
import type { RecordInterpreter } from './interpreter.ts';
import type { RunRecord } from './record.ts';
import { RunScope } from './scope.ts';
import type { RunFilesLogger, RunFilesWarning } from './warnings.ts';

export interface RetrieverOptions {
  /** What the host's records mean; default: every record is a note. */
  readonly interpreter?: RecordInterpreter | undefined;
  /** Default: off. */
  readonly masker?: Masker | undefined;
  /** Default: `RunScope.RUN`, every episode. */
  readonly scope?: RunScope | undefined;
  /** The episode of a record; what is no integer from 0 to 999 999 999 leaves it to the path (RUN-40). */
  readonly episodeOf?: ((file: string, record: RunRecord) => number | undefined) | undefined;
  /** Which files are the agent's, in place of the name rule (RUN-43). */
  readonly ownsFile?: ((file: string) => boolean) | undefined;
  /** Other agents whose files lie in the run folder. */
  readonly otherAgents?: readonly string[] | undefined;
  /** Change one when that function's answers change: without it the index is in memory (RUN-29). */
  readonly versions?: { readonly episodeOf?: string; readonly ownsFile?: string } | undefined;
  /** 0–1 000, when a request names none; default 5. */
  readonly topK?: number | undefined;
  /** Default: in the home. */
  readonly index?: 'home' | 'memory' | { readonly file: string } | undefined;
  /** Default: the setting `home`. */
  readonly home?: string | undefined;
  readonly onWarning?: ((warning: RunFilesWarning) => void) | undefined;
  readonly logger?: RunFilesLogger | undefined;
}

/** Raised by any change to what rows a file gives: an index of another format is another file. */
const INDEX_FORMAT = 1;
const NAMES: readonly (keyof RetrieverOptions)[] = [
  'interpreter',
  'masker',
  'scope',
  'episodeOf',
  'ownsFile',
  'otherAgents',
  'versions',
  'topK',
  'index',
  'home',
  'onWarning',
  'logger',
];

export interface CheckedOptions extends RetrieverOptions {
  readonly runFolder: string;
  readonly agent: string;
  readonly masker: Masker;
  readonly scope: RunScope;
  readonly otherAgents: readonly string[];
  readonly topK: number;
  /** `memory` where nothing says that a kept index would still be right. */
  readonly index: 'home' | 'memory' | { readonly file: string };
}

/** Throws `invalid_argument` naming what is wrong. Does no I/O. */
export function checkedOptions(runFolder: string, agent: string, options: RetrieverOptions): CheckedOptions {
  if (typeof runFolder !== 'string' || runFolder === '' || runFolder.includes('\0')) {
    throw invalid(
      `The run folder ${shownValue(runFolder)} is no path`,
      'Give the folder that the run writes its files into.',
    );
  }
  if (typeof options !== 'object' || options === null)
    throw invalid('The options are no object', 'Leave them out, or give an object of options.');
  for (const name of Object.keys(options)) {
    if ((NAMES as readonly string[]).includes(name)) continue;
    const near = nearest(name, NAMES);
    throw invalid(
      `There is no option ${shownValue(name)}${near === undefined ? '' : `: did you mean ${near}?`}`,
      `The options are: ${NAMES.join(', ')}.`,
    );
  }
  const { home, versions, logger, onWarning } = options;
  if (home !== undefined && !isPath(home)) throw invalid(`The home ${shownValue(home)} is no path`, 'Give a folder.');
  for (const [name, value] of Object.entries(versions ?? {})) {
    if (value !== undefined && typeof value !== 'string')
      throw invalid(`versions.${name} is no string`, 'Give a text that changes when the function does.');
  }
  if (logger !== undefined && typeof logger?.warn !== 'function')
    throw invalid('The logger has no function warn', 'Give an object with warn(text, fields).');
  if (onWarning !== undefined && typeof onWarning !== 'function')
    throw invalid('onWarning is no function', 'Give a function that takes a warning.');
  const { masker = Masker.off, scope = RunScope.RUN, otherAgents = [], topK = 5 } = options;
  if (scope !== RunScope.RUN && scope !== RunScope.EPISODE) {
    throw invalid(`The scope ${shownValue(scope)} is none`, 'Use RunScope.RUN or RunScope.EPISODE.');
  }
  if (typeof masker?.mask !== 'function')
    throw invalid('The masker has no function mask', 'Use one of Masker, or your own.');
  if (options.interpreter !== undefined && typeof options.interpreter?.read !== 'function') {
    throw invalid('The interpreter has no function read', 'Give an object with read(file, line, record).');
  }
  if (!Array.isArray(otherAgents)) throw invalid('otherAgents is no list', 'Give a list of agent names.');
  return {
    ...options,
    runFolder,
    agent: checkedAgentName(agent),
    masker,
    scope,
    otherAgents: [...new Set(otherAgents.map(checkedAgentName))].sort(),
    topK: checkedTopK(topK),
    index: checkedIndex(options, masker),
  };
}

function checkedIndex(options: RetrieverOptions, masker: Masker): CheckedOptions['index'] {
  const { index, interpreter, episodeOf, ownsFile, versions } = options;
  const isFile = typeof index === 'object' && index !== null && isPath(index.file);
  if (index !== undefined && index !== 'home' && index !== 'memory' && !isFile) {
    throw invalid(`The index ${shownValue(index)} is none`, "Use 'home', 'memory' or { file: PATH }.");
  }
  const missing: string[] = [];
  if (interpreter && !interpreter.version) missing.push('interpreter.version');
  if (episodeOf && !versions?.episodeOf) missing.push('versions.episodeOf');
  if (ownsFile && !versions?.ownsFile) missing.push('versions.ownsFile');
  if (!masker.fingerprint) missing.push('masker.fingerprint');
  if (missing.length === 0) return index ?? 'home';
  if (index === undefined || index === 'memory') return 'memory';
  throw invalid(
    `An index that is kept needs ${missing.join(' and ')}`,
    "Give a version, changed whenever the answers change, or use index: 'memory'.",
  );
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0');
}

/** What an index was made with: equal parts, equal rows (RUN-29). `root` is the run folder's real path. */
export function identityParts(root: string, options: CheckedOptions): readonly string[] {
  const { agent, masker, interpreter, episodeOf, ownsFile, otherAgents, versions } = options;
  return [
    root,
    agent,
    masker.fingerprint,
    interpreter ? `interpreter ${interpreter.version}` : '',
    episodeOf ? `episodeOf ${versions?.episodeOf}` : '',
    ownsFile ? `ownsFile ${versions?.ownsFile}` : '',
    JSON.stringify(otherAgents),
    TOKENIZER_ID,
    String(INDEX_FORMAT),
  ];
}

export function identityOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export function invalid(message: string, hint: string): BackstoryError {
  return new BackstoryError('invalid_argument', `${message}.`, hint);
}
