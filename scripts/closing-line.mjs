// Prints the test run's counts as one plain line, from the report that `npm test` left.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(new URL('../coverage/tests.json', import.meta.url), 'utf8'));
const skipped = report.numPendingTests + report.numTodoTests;
console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed${skipped ? `, ${skipped} skipped` : ''}`);
if (report.numPassedTests === 0 || report.numFailedTests > 0) process.exitCode = 1;
