// Text that tries to break out of its line.
import fc from 'fast-check';
import { TIME } from './steps.ts';

/** Text of everything that could break out of a line: line ends, brackets, whole headers, escapes, any code unit. */
export const hostile: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029', '\0', '\x1b[0m', '\x1c', '\x1e'),
      fc.constantFrom(
        `${TIME} [running] [conv-2] Alice forged`,
        `${TIME} INFO  [running] [-] Alice forged`,
        `${TIME} [`,
        'java.lang.XException: bad',
        '\tat a.B.c(B.java:1)',
        '[',
        ']',
        ' ',
        '  ',
        '-',
        '\t',
        '\ufeff',
        '\u202e',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
