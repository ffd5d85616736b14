// One spelling for all spellings of a local path, so that inside and outside can be told (MASK-41, MASK-45).
// Knows no file system: links are not resolved, nothing is looked up.

/**
 * An absolute path in its one spelling: `/` between segments, `C:` in capitals, no dot segments, NFC, the twins of
 * macOS, WSL and Cygwin read as the path they stand for. `raw` may be percent-encoded, escaped, or a `file:` URL.
 */
export function foldPath(raw: string): string {
  let path = raw.replace(/^file:(?:\/\/(?:localhost)?(?=\/)|\/\/(?=[A-Za-z]:)|(?:\\?\/){2})?/i, '');
  if (path.includes('%')) path = percentDecoded(path);
  path = path.replace(/\\+/g, '/').replace(/^\/+(?=[A-Za-z]:(?:\/|$))/, '');
  if (path.startsWith('//')) path = withoutDevice(path);
  path = path
    .replace(/^\/(?:mnt\/|cygdrive\/)?([A-Za-z])(?=\/|$)/, '$1:')
    .replace(/^[a-z]:/, (drive) => drive.toUpperCase())
    .replace(/^\/System\/Volumes\/Data(?=\/)/i, '')
    .replace(/^\/private(?=\/(?:var|tmp|etc)(?:\/|$))/i, '');
  const prefix = /^(?:[A-Z]:|\/(?=\/)|)/.exec(path)![0];
  const segments = foldSegments(path.slice(prefix.length).split('/'));
  return `${prefix}/${segments.join('/')}`.normalize('NFC');
}

/** `\\?\C:\x` is `C:/x`, `\\?\UNC\host\x` is `//host/x`. */
function withoutDevice(path: string): string {
  const bare = path.replace(/^\/\/[?.]\/+(?:UNC\/+)?/i, (device) => (/unc/i.test(device) ? '//' : ''));
  return bare.startsWith('//') || /^[A-Za-z]:/.test(bare) ? bare : `/${bare.replace(/^\/+/, '')}`;
}

/** Segments without `.`, `..` and empty ones. What climbs over the root stays at the root. */
function foldSegments(segments: readonly string[]): string[] {
  const folded: string[] = [];
  for (const segment of segments) {
    if (segment === '..') folded.pop();
    else if (segment !== '' && segment !== '.') folded.push(segment);
  }
  return folded;
}

/** True when a relative path leaves the folder it starts in at any point. */
export function climbsOut(relative: string): boolean {
  let depth = 0;
  for (const segment of relative.split(/[\\/]+/)) {
    if (segment === '..') {
      if (--depth < 0) return true;
    } else if (segment !== '' && segment !== '.') depth++;
  }
  return false;
}

/** For comparing: without letter case where file systems of Windows and macOS have none (MASK-41). */
export function comparable(folded: string): string {
  return /^(?:[A-Z]:|\/\/|\/(?:Users|Volumes|Applications|Library|System)(?:\/|$))/i.test(folded)
    ? folded.toLowerCase()
    : folded;
}

/** The segments of `path` behind `folder`, both folded; undefined when it is not in it. */
export function within(path: string, folder: string): readonly string[] | undefined {
  const [mine, its] = [comparable(path), comparable(folder)];
  if (mine !== its && !mine.startsWith(its.endsWith('/') ? its : `${its}/`)) return undefined;
  return segmentsOf(path).slice(segmentsOf(folder).length);
}

export function segmentsOf(folded: string): readonly string[] {
  return folded.split('/').filter((segment) => segment !== '');
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not all of it is percent-encoded UTF-8: at least what matters for borders is decoded.
    return text.replace(/%(2[ef]|5c|3a)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}
