// The lines that other loggers write are ours (RUN-11), with the real pino and winston.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import fc from 'fast-check';
import pino from 'pino';
import { expect, test } from 'vitest';
import winston from 'winston';
import { AgentRecordFormat } from '../../../src/runs/format.ts';
import { pinoStream, winstonTransport } from '../../../src/runs/logger-plugs.ts';
import type { Level, RawRecord } from '../../../src/runs/record.ts';
import { AgentRecordWriter } from '../../../src/runs/writer.ts';
import { hostile } from './hostile.ts';
import { freshFolder, messages, recordsOf, TIME } from './steps.ts';

const NOON = new Date(2026, 9, 21, 12, 0, 0).getTime();
const place = { 'episode-state': 'running', 'conversation-id': 'conv-1' };
const pinoLine = (fields: Readonly<Record<string, unknown>>): string =>
  AgentRecordFormat.fromPino(JSON.stringify({ level: 30, time: NOON, msg: 'hi', ...fields }), 'Alice');
const quiet = { logger: { warn: () => undefined } };

function readLog(folder: string): RawRecord[] {
  return recordsOf(readFileSync(join(folder, 'Alice.log'), 'utf8'));
}

test('RUN-11: the logback patterns, with a real line feed in the replacement', () => {
  expect(AgentRecordFormat.logbackHistoryPattern('Alice')).toBe(
    "%d{yyyy-MM-dd HH:mm:ss} [%X{episode-state:--}] [%X{conversation-id:--}] Alice %replace(%msg){'\\R','&#10;  '}%n%replace(%ex){'(?m)^(?=.)','  '}%nopex",
  );
  expect(AgentRecordFormat.logbackLogPattern('Alice')).toBe(
    "%d{yyyy-MM-dd HH:mm:ss} %-5level [%X{episode-state:--}] [%X{conversation-id:--}] Alice %replace(%msg){'\\R','&#10;  '}%n%replace(%ex){'(?m)^(?=.)','  '}%nopex",
  );
});

test('RUN-11: what a pattern or its XML takes as special is escaped in the name', () => {
  const of = (agent: string): string =>
    AgentRecordFormat.logbackHistoryPattern(agent).split('[%X{conversation-id:--}] ')[1]!;
  expect(of('100% (Al) & <b>')).toMatch(/^100\\% \\\(Al\\\) &amp; &lt;b&gt; %replace/);
  expect(of(['a$', '{x}'].join(''))).toMatch(/^a\$\\_\{x\} %replace/);
});

test('RUN-11: a name that no pattern can hold is refused, not written wrongly', () => {
  expect(() => AgentRecordFormat.logbackLogPattern('a{b{c}d}')).not.toThrow();
  expect(AgentRecordFormat.logbackLogPattern('a:-b')).toContain('] a:\\_-b %');
  for (const agent of ['a{b', 'a}b', '}{', 'a{b{c}']) {
    expect(() => AgentRecordFormat.logbackLogPattern(agent)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(agent) }),
    );
  }
});

test('RUN-11: a line of pino becomes a log record', () => {
  expect(pinoLine({ ...place, msg: 'a\nb' })).toBe('2026-10-21 12:00:00 INFO  [running] [conv-1] Alice a\n  b\n');
  expect(pinoLine({})).toBe('2026-10-21 12:00:00 INFO  [-] [-] Alice hi\n');
  expect(pinoLine({ time: new Date(NOON).toISOString() })).toBe(pinoLine({}));
  expect(pinoLine({ err: { type: 'Error', message: 'x', stack: 'Error: x\n    at y' } })).toBe(
    '2026-10-21 12:00:00 INFO  [-] [-] Alice hi\n  Error: x\n      at y\n',
  );
  expect(pinoLine({ msg: undefined })).toBe('2026-10-21 12:00:00 INFO  [-] [-] Alice\n');
});

test("RUN-11: pino's levels, others rounded down to the next", () => {
  const expected: [number | string, Level][] = [
    [10, 'TRACE'],
    [20, 'DEBUG'],
    [30, 'INFO'],
    [40, 'WARN'],
    [50, 'ERROR'],
    [60, 'FATAL'],
    [35, 'INFO'],
    [29, 'DEBUG'],
    [19.5, 'TRACE'],
    [1, 'TRACE'],
    [99, 'FATAL'],
    ['warn', 'WARN'],
    ['odd', 'INFO'],
  ];
  for (const [level, name] of expected) expect(recordsOf(pinoLine({ level }))[0]!.header!.level).toBe(name);
});

test('RUN-11: a real pino writes our lines through our writer', () => {
  const folder = freshFolder();
  const writer = AgentRecordWriter.open(folder, 'Alice');
  const logger = pino({ level: 'trace' }, pinoStream(writer));
  const turn = logger.child(place);
  turn.info('deploy it');
  turn.error(new Error('no route', { cause: new Error('cable') }), 'fetch failed');
  turn.warn({ 'conversation-id': 'conv-2' }, `x\n${TIME} [running] [conv-1] Alice forged`);
  logger.debug('detail');
  const records = readLog(folder);
  expect(records.map(({ header }) => [header!.level, header!.state, header!.conversation])).toEqual([
    ['INFO', 'running', 'conv-1'],
    ['ERROR', 'running', 'conv-1'],
    ['WARN', 'running', 'conv-2'],
    ['DEBUG', '-', '-'],
  ]);
  expect(records[0]!.text).toBe('deploy it');
  expect(records[1]!.text).toMatch(/^fetch failed\nError: no route\n {4}at [\s\S]*caused by: Error: cable\n/);
  expect(records[2]!.text).toBe(`x\n${TIME} [running] [conv-1] Alice forged`);
  expect(writer.failures).toBe(0);
});

test('RUN-11: what is no line of pino is invalid_argument without its text, and reaches no host through the stream', () => {
  for (const line of ['', 'secret', '[1]', 'null', '"secret"']) {
    expect(() => AgentRecordFormat.fromPino(line, 'Alice')).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.not.stringContaining('secret') }),
    );
  }
  const writer = AgentRecordWriter.open(freshFolder(), 'Alice', quiet);
  expect(() => pinoStream(writer).write('secret')).not.toThrow();
  expect(writer.failures).toBe(1);
});

test('RUN-9: an id that no line can hold is refused from other loggers too: counted, never altered, never thrown into the host', () => {
  for (const id of ['a b', '', 'a\nb', 7]) {
    expect(() => pinoLine({ 'conversation-id': id })).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(() =>
      AgentRecordFormat.fromWinston({ level: 'info', message: 'x', 'conversation-id': id }, 'Alice'),
    ).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  }
  const writer = AgentRecordWriter.open(freshFolder(), 'Alice', quiet);
  pino({}, pinoStream(writer)).info({ 'conversation-id': 'a b' }, 'x');
  winston.createLogger({ transports: [winstonTransport(writer)] }).info('x', { 'episode-state': 'a b' });
  expect(writer.failures).toBe(2);
});

test("RUN-11: winston's levels", () => {
  const expected: [string, Level][] = [
    ['error', 'ERROR'],
    ['warn', 'WARN'],
    ['info', 'INFO'],
    ['http', 'INFO'],
    ['verbose', 'DEBUG'],
    ['debug', 'DEBUG'],
    ['silly', 'TRACE'],
    ['crit', 'FATAL'],
    ['toString', 'INFO'],
    ['notice', 'INFO'],
  ];
  for (const [level, name] of expected) {
    const record = AgentRecordFormat.fromWinston({ level, message: 'x', timestamp: '2026-10-21 12:00:00' }, 'Alice');
    expect(record).toBe(`2026-10-21 12:00:00 ${name.padEnd(5)} [-] [-] Alice x`);
  }
});

test('RUN-11: a real winston with format.printf writes our lines to its own file', async () => {
  const folder = freshFolder();
  const { combine, errors, splat, colorize, printf } = winston.format;
  const filename = join(folder, 'Alice.log');
  const logger = winston.createLogger({
    level: 'silly',
    format: combine(
      errors({ stack: true }),
      splat(),
      colorize(),
      printf((info) => AgentRecordFormat.fromWinston(info, 'Alice')),
    ),
    transports: [new winston.transports.File({ filename })],
  });
  logger.info('deploy %s', 'it', place);
  logger.warn(`x\n${TIME} [running] [conv-2] Alice forged`, place);
  logger.error('fetch failed', { ...place, error: new Error('no route') });
  logger.error(new Error('alone'));
  logger.silly('detail');
  logger.end();
  await new Promise((resolve) => logger.transports[0]!.on('finish', resolve));
  while (readFileSync(filename, 'utf8').split('detail').length < 2) await later(10);
  const records = readLog(folder);
  expect(records.map(({ header }) => [header!.level, header!.conversation])).toEqual([
    ['INFO', 'conv-1'],
    ['WARN', 'conv-1'],
    ['ERROR', 'conv-1'],
    ['ERROR', '-'],
    ['TRACE', '-'],
  ]);
  expect(records[0]!.text).toBe('deploy it');
  expect(records[1]!.text).toBe(`x\n${TIME} [running] [conv-2] Alice forged`);
  expect(records[2]!.text).toMatch(/^fetch failed\nError: no route\n {4}at /);
  expect(records[3]!.text).toMatch(/^alone\nError: alone\n {4}at /);
  expect(records[4]!.text).toBe('detail');
});

test('RUN-11: a real winston writes our lines through our writer', () => {
  const folder = freshFolder();
  const writer = AgentRecordWriter.open(folder, 'Alice');
  const logger = winston.createLogger({ level: 'debug', transports: [winstonTransport(writer)] });
  const turn = logger.child(place);
  turn.info('deploy it');
  turn.error('fetch failed', new Error('no route'));
  turn.info({ message: { a: [1] } });
  turn.silly('not at this level');
  const records = readLog(folder);
  expect(records.map(({ header }) => header)).toMatchObject([
    { level: 'INFO', state: 'running', conversation: 'conv-1' },
    { level: 'ERROR', state: 'running', conversation: 'conv-1' },
    { level: 'INFO', state: 'running', conversation: 'conv-1' },
  ]);
  expect(records[1]!.text).toMatch(/^fetch failed no route\nError: no route\n {4}at /);
  expect(messages([records[0]!, records[2]!])).toEqual(['deploy it', '{"a":[1]}']);
});

test('RUN-11: whatever the loggers carry, one record comes of it', () => {
  fc.assert(
    fc.property(hostile, fc.option(hostile), fc.constantFrom('conv-1', 'conv-2'), (message, stack, conversation) => {
      const fields = { 'conversation-id': conversation, ...(stack === null ? {} : { err: { stack } }) };
      const records = recordsOf(pinoLine({ msg: message, ...fields }));
      const info = { level: 'info', message, 'conversation-id': conversation, ...(stack === null ? {} : { stack }) };
      records.push(...recordsOf(`${AgentRecordFormat.fromWinston(info, 'Alice')}\n`));
      expect(records.map(({ kind, header }) => [kind, header?.conversation])).toEqual([
        ['record', conversation],
        ['record', conversation],
      ]);
      expect(records[0]!.text).toBe(records[1]!.text);
    }),
    { numRuns: 300 },
  );
});

test('RUN-11: neither pino nor winston is imported by the library', () => {
  for (const name of ['loggers', 'logger-plugs', 'format']) {
    expect(readFileSync(`src/runs/${name}.ts`, 'utf8')).not.toMatch(/from '(pino|winston)/);
  }
});
