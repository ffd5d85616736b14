// Hides local paths: what lies in the run folder becomes `<run>/…`, what lies outside a marker (MASK-40 … MASK-46).
import { BackstoryError } from '../model/errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import { jsonStrings, withinStrings } from './json-strings.ts';
import type { Masker } from './masker.ts';
import { climbsOut, foldPath, segmentsOf, within } from './path-fold.ts';
import { type Roots, readRoots } from './path-roots.ts';
import { type FoundPath, type ScanOptions, scanPaths } from './path-scan.ts';
import type { Range } from './ranges.ts';
import { type Noted, sectioned } from './sections.ts';

export interface PathOptions {
  /** The folder whose paths stay, as `<run>`. */
  readonly inside?: string;
  /** More folders that count as outside and are replaced literally. */
  readonly roots?: readonly string[];
  /** Folders that stay visible, such as `/usr/lib`. */
  readonly allow?: readonly string[];
  /** `[hidden:path]/file.txt`. Default false. */
  readonly keepBaseName?: boolean;
  /** Whose paths to look for. Default `both`: logs travel. */
  readonly platform?: 'posix' | 'win32' | 'both';
}

const RULES_VERSION = 1;
const MARKER = '[hidden:path]';
// What a round hides may be a border for what follows; a third round has never changed a text that was not made for it.
const MAX_ROUNDS = 4;

/** The path half alone. Throws `invalid_argument` for an empty folder or an unknown platform. */
export function PathRedactor(options: PathOptions = {}): Masker {
  const { inside, roots = [], allow = [], keepBaseName = false, platform = 'both' } = options;
  for (const folder of [...(inside === undefined ? [] : [inside]), ...roots, ...allow]) assertFolder(folder);
  if (platform !== 'posix' && platform !== 'win32' && platform !== 'both') {
    throw new BackstoryError(
      'invalid_argument',
      'platform is not one of posix, win32, both.',
      'Leave it out for both.',
    );
  }
  const known = readRoots(inside, roots, allow);
  const scan: ScanOptions = {
    literals: known.literals,
    posix: platform !== 'win32',
    windows: platform !== 'posix',
  };
  const fingerprint = fingerprintOf(
    'paths',
    RULES_VERSION,
    known.all,
    known.inside,
    known.allowed,
    keepBaseName,
    platform,
  );
  const once = (text: string, note?: Noted): string => maskOnce(text, scan, known, keepBaseName, note);
  return sectioned(fingerprint, {
    once,
    mask(text, note) {
      let masked = text;
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const before = masked;
        masked = once(before, note);
        if (masked === before) break;
      }
      return masked;
    },
  });
}

function assertFolder(folder: unknown): asserts folder is string {
  if (typeof folder === 'string' && folder.trim() !== '') return;
  throw new BackstoryError('invalid_argument', 'A folder of the path masker is empty.', 'Give the path of a folder.');
}

interface Shown extends Range {
  readonly shown: string;
}

function maskOnce(text: string, scan: ScanOptions, roots: Roots, keepBaseName: boolean, note?: Noted): string {
  const found: Shown[] = [];
  scanPaths(text, scan, (path) => {
    const shown = shownFor(text.slice(path.start, path.end), path, roots, keepBaseName);
    if (shown !== undefined) found.push({ start: path.start, end: path.end, shown });
  });
  if (found.length === 0) return text;
  const strings = jsonStrings(text);
  const output: string[] = [];
  let kept = 0;
  for (const { start, end, shown } of strings ? withinStrings(text, strings, found) : found) {
    output.push(text.slice(kept, start), shown);
    kept = end;
    if (shown.includes(MARKER)) note?.({ rule: 'path', marker: MARKER, at: start, text });
  }
  output.push(text.slice(kept));
  return output.join('');
}

/** What stands in place of a path; undefined when it stays. */
function shownFor(raw: string, { form }: FoundPath, roots: Roots, keepBaseName: boolean): string | undefined {
  if (form === 'run' || form === 'relative') {
    if (roots.inside.length === 0 || !climbsOut(form === 'run' ? raw.slice('<run>'.length) : raw)) return undefined;
    return hidden(raw, keepBaseName);
  }
  const path = foldPath(form === 'home' && roots.home !== undefined ? roots.home + raw.replace(/^[^\\/]+/, '') : raw);
  for (const inside of roots.inside) {
    const rest = within(path, inside);
    if (rest) return shownInside(rest, /[\\/]$/.test(raw));
  }
  if (roots.allowed.some((folder) => within(path, folder))) return undefined;
  return hidden(raw, keepBaseName);
}

function shownInside(rest: readonly string[], slash: boolean): string {
  // A name that decodes to a quote or a bracket could end the string around it.
  const safe = rest.map((segment) =>
    /["'`\\<>\p{C}\s]/u.test(segment) && !/^[\w .()-]+$/.test(segment) ? MARKER : segment,
  );
  return ['<run>', ...safe].join('/') + (slash ? '/' : '');
}

function hidden(raw: string, keepBaseName: boolean): string {
  if (!keepBaseName) return MARKER;
  const name = segmentsOf(raw.replace(/(?:\\+|%2f|%5c)/gi, '/')).at(-1);
  return name === undefined || !/^[\p{L}\p{N}_][\p{L}\p{N}_.+-]*$/u.test(name) ? MARKER : `${MARKER}/${name}`;
}
