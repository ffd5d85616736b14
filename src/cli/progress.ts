// A bar on standard error for what takes over half a second on a terminal (SUR-20, SRC-81). Its library is loaded then.
import type { SingleBar } from 'cli-progress';
import type { Progress } from '../api/operation.ts';
import type { Io } from './io.ts';
import { bytesOf } from './render/time.ts';

const QUIET_MS = 500;
const HEARTBEAT_MS = 1_000;

/** Runs `work` and shows its progress. Whatever happens, the bar is gone afterwards. */
export async function withProgress<T>(
  io: Io,
  work: (onProgress: (progress: Progress) => void) => Promise<T>,
): Promise<T> {
  if (!io.errIsTerminal || !io.errStream) return work(() => {});
  let latest: Progress | undefined;
  let bar: SingleBar | undefined;
  let ended = false;
  const show = (): void => {
    if (!latest || !bar) return;
    bar.setTotal(Math.max(1, latest.bytesTotal));
    bar.update(latest.bytesDone, shownOf(latest));
  };
  const start = async (): Promise<void> => {
    const { default: progress } = await import('cli-progress');
    if (ended) return;
    bar = new progress.SingleBar({
      format: '{bar} {percentage}% {read} · {files} files · {source} · {eta_formatted} left',
      barCompleteChar: '█',
      barIncompleteChar: '░',
      barsize: 24,
      stream: io.errStream!,
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 50,
      gracefulExit: false,
    });
    bar.start(Math.max(1, latest?.bytesTotal ?? 1), latest?.bytesDone ?? 0, shownOf(latest));
  };
  const delay = setTimeout(() => void start(), QUIET_MS);
  const heartbeat = setInterval(() => {
    bar?.updateETA();
    show();
  }, HEARTBEAT_MS);
  try {
    return await work((progress) => {
      latest = progress;
      show();
    });
  } finally {
    ended = true;
    clearTimeout(delay);
    clearInterval(heartbeat);
    bar?.stop();
  }
}

function shownOf(progress: Progress | undefined): Record<string, string> {
  if (!progress) return { read: '0 B', files: '0', source: '' };
  return {
    read: `${bytesOf(progress.bytesDone)} of ${bytesOf(progress.bytesTotal)}`,
    files: `${progress.filesDone}/${progress.filesTotal}`,
    source: progress.source,
  };
}
