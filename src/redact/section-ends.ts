// Where a section of a unit may end without parting what the credential rules read together (MASK-24).
import { MAX_BODY_BEFORE_END } from './key-blocks.ts';

/** Positions that are line starts only: everything the rules read over a line feed is looked at. */
export function safeEnds(window: string): (at: number) => boolean {
  const parting = linesThatGoOn(window);
  return (at) => {
    if (window.charCodeAt(at - 1) !== LINE_FEED) return isQuietAround(window, at);
    return !parting.has(at);
  };
}

const LINE_FEED = 10;
/** A line of a body and a cut END line. */
const MARGIN = 256;
const BODY = /^[ \t>|+*-]{0,16}(?:\d{1,6}[:|→\t][ \t]?)?[A-Za-z0-9+/]{16,80}={0,2}\r?$/;
/** Bodies, and the beginning of one that the window cuts. */
const CUT_BODY = /^[ \t>|+*-]{0,16}(?:\d{1,6}[:|→\t][ \t]?)?[A-Za-z0-9+/]{0,80}={0,2}$/;
const GOES_ON = /[\\,(:=>|][ \t\r]*$|^[ \t]*$/;
const GOES_BACK = /^[ \t]*["']?value["']?[ \t]*[:=]|^[ \t>|+*-]{0,8}Private-(?:MAC|Hash):/i;
const DATA = /^[ \t]*["']?(?:data|stringData)["']?[ \t]*:/;
const KIND = /^[ \t]*(?:- )?["']?kind["']?[ \t]*:/;

/** Starts of lines that belong to the line before. Read from the window's end, where nothing is known of what follows. */
function linesThatGoOn(window: string): ReadonlySet<number> {
  const parting = new Set<number>();
  let end = window.length;
  // A run of body lines that reaches the window's end: its END may come, for as long as such a run may be.
  let body: 'open' | 'key' | 'none' = 'open';
  // Below here stands a `kind` that says what the values under `data` are.
  let kindBelow = false;
  while (end > 0) {
    const start = window.lastIndexOf('\n', end - 1) + 1;
    const line = window.slice(start, end);
    const isCut = end === window.length;
    if (line.length <= 120 && (isCut ? CUT_BODY : BODY).test(line)) {
      if (body === 'key' || (body === 'open' && start > window.length - MAX_BODY_BEFORE_END - MARGIN))
        parting.add(start);
      // The window may cut the END line itself.
    } else if (!isCut || line.length > MARGIN)
      body = /-{4,5} ?END [A-Z0-9 ]{0,64}PRIVATE KEY/i.test(line) ? 'key' : 'none';
    if (body === 'key' && /END /.test(line)) parting.add(start);
    if (GOES_BACK.test(line.slice(0, 64))) parting.add(start);
    if (GOES_ON.test(line.slice(-256)) && end < window.length && !/^[ \t\r]*$/.test(line)) parting.add(end + 1);
    if (KIND.test(line.slice(0, 64))) kindBelow = true;
    else if (DATA.test(line.slice(0, 64))) {
      if (kindBelow)
        for (let at = end + 1; at < window.length && !KIND.test(window.slice(at, at + 64)); ) {
          parting.add(at);
          const next = window.indexOf('\n', at);
          at = next === -1 ? window.length : next + 1;
        }
      kindBelow = false;
    }
    end = start - 1;
  }
  return parting;
}

/** Within a long line: no name, sign or token near enough to be read together with what follows. */
function isQuietAround(window: string, at: number): boolean {
  return !/[^\s\w.,;()-]|\w{16}/.test(window.slice(Math.max(0, at - 128), at + 16));
}
