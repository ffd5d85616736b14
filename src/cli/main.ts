// The binary: arguments and streams of the process into run(). A closed pipe ends quietly with 0 (SUR-21).
import { EXIT } from './answer.ts';
import { processIo } from './io.ts';
import { run } from './run.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    // A full disk behind `> file`: thrown, it would end with 1, which says that nothing was found.
    if (stream === process.stdout) {
      process.stderr.write(
        `backstory: standard output cannot be written (${error.code}).\nFree some disk space, or write it elsewhere.\n`,
      );
    }
    process.exit(EXIT.internal);
  });
}
void run(process.argv.slice(2), processIo()).then((code) => {
  process.exitCode = code;
});
