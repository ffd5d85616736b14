// The binary: arguments and streams of the process into run(). A closed pipe ends quietly with 0 (SUR-21).
import { processIo } from './io.ts';
import { run } from './run.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
void run(process.argv.slice(2), processIo()).then((code) => {
  process.exitCode = code;
});
