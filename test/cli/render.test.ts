// What people see: hits, pages, lists and reports, with hostile text in every place that holds stored text.
import { describe, expect, it } from 'vitest';
import type { HistoryResult, SearchResult } from '../../src/api/face.ts';
import { hintMore } from '../../src/cli/answer.ts';
import { renderImport } from '../../src/cli/render/archive.ts';
import { type Look, renderCoverage, renderHits } from '../../src/cli/render/hits.ts';
import { renderPage, shellWord } from '../../src/cli/render/page.ts';
import { paintFor } from '../../src/cli/render/paint.ts';
import { renderSessions } from '../../src/cli/render/sessions.ts';
import { renderSources } from '../../src/cli/render/sources.ts';
import { renderStats } from '../../src/cli/render/stats.ts';
import { oneLine, partsOf, wrapMarked, wrapped } from '../../src/cli/render/text.ts';
import { age, bytesOf, count, counted, timeWithAge } from '../../src/cli/render/time.ts';
import type { HistoryEntry, Hit } from '../../src/model/session.ts';
import { keptIo, NOW } from './fake-io.ts';

const HOSTILE = 'red\u001b[31m\u001b]0;owned\u0007 \u202egnp.exe\u202c\r\nnext\u009b2J\u0000';
// Escape, C1 introducers, other control characters but tab and line feed, and direction overrides.
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function look(terminal: 'terminal' | 'pipe', env: Record<string, string> = {}): Look {
  return {
    paint: paintFor(keptIo({ outIsTerminal: terminal === 'terminal', env })),
    zone: 'Europe/Berlin',
    now: NOW,
    columns: 80,
    again: ' --home /tmp/h',
  };
}

const HIT: Hit = {
  sessionKey: 'agent:claude-code:s-1',
  sessionId: 's-1',
  messageId: 'u-1',
  timestamp: '2026-08-29T08:00:00.000Z',
  role: 'user',
  excerpt: 'why is checkout slow?',
  ranges: [
    [7, 15],
    [16, 20],
  ],
  score: 1.5,
  agentId: 'claude-code',
  kind: 'imported',
  title: 'Checkout',
  project: '/src/shop',
  inCurrentView: true,
};

describe('hits', () => {
  it('SUR-23: agent, project, local time with zone and age, role, marked excerpt, and the command that reopens it', () => {
    expect(renderHits([HIT], look('terminal', { NO_COLOR: '1' }), 'plain')).toBe(
      [
        '  1 claude-code  /src/shop  2026-08-29 10:00 UTC+02:00 (3 d ago)  user',
        '    Checkout',
        '    why is «checkout» «slow»?',
        '    backstory open 1 --home /tmp/h · agent:claude-code:s-1',
        '',
      ].join('\n'),
    );
  });

  it('SUR-20: colour only on a terminal, and not with NO_COLOR', () => {
    expect(renderHits([HIT], look('terminal'), 'plain')).toContain('\u001b[7mcheckout\u001b[27m');
    expect(renderHits([HIT], look('terminal', { NO_COLOR: '1' }), 'plain')).not.toContain('\u001b');
    expect(renderHits([HIT], look('pipe'), 'plain')).toContain('why is checkout slow?');
    expect(renderHits([HIT], look('pipe'), 'plain')).not.toMatch(/[\u001b«»]/);
  });

  it('SUR-23: control sequences in any stored text are shown harmless', () => {
    const hostile: Hit = {
      ...HIT,
      sessionKey: `agent:x:${HOSTILE}`,
      agentId: HOSTILE,
      title: HOSTILE,
      project: HOSTILE,
      excerpt: HOSTILE,
      ranges: [[0, 5]],
      missing: [HOSTILE],
    };
    const shown = renderHits([hostile], look('pipe'), 'scores');
    expect(shown).not.toMatch(HARMFUL);
    expect(shown).toContain('red');
  });

  it('SUR-23: ranges stay true when what stands between them is taken out', () => {
    expect(partsOf('a\u001b[1mb c', [[5, 6]])).toEqual([
      { text: 'a', marked: false },
      { text: 'b', marked: true },
      { text: ' c', marked: false },
    ]);
  });

  it('SUR-3: what was not looked at is said', () => {
    const lines = renderCoverage(resultWith({}), look('pipe'));
    expect(lines).toEqual([
      'Not looked at: codex (store_damaged).',
      '2 transcripts not read yet: search again, or backstory sync --home /tmp/h.',
    ]);
  });
});

describe('a page of history', () => {
  it('SUR-22: times, roles, the anchor, tool calls on one line, markers, and how to go on', () => {
    expect(renderPage(PAGE, look('pipe'))).toBe(
      [
        'agent:claude-code:s-1 · 5 of 12 entries',
        '',
        '↑ earlier: backstory open agent:claude-code:s-1 --before u-1 --home /tmp/h',
        '',
        '  user  2026-09-01 10:00 UTC+02:00 (4 h ago)',
        '    why is checkout slow?',
        '',
        '▶ assistant  2026-09-01 10:00 UTC+02:00 (4 h ago)',
        '    I will look.',
        '    ▸ Bash {"command": "psql"}',
        '',
        '  tool  2026-09-01 10:00 UTC+02:00 (4 h ago)',
        '    ◂ Seq Scan on orders',
        '',
        '──  compacted: the agent went on with a summary  2026-09-01 10:00 UTC+02:00 (4 h ago)',
        '',
        '  assistant  2026-09-01 10:00 UTC+02:00 (4 h ago)',
        '    long',
        '    (4 of 13 000 characters; the rest: backstory open agent:claude-code:s-1 --message a-9 --session-id s-1 --block 0 --from 4 --home /tmp/h)',
        '',
        '↓ later: backstory open agent:claude-code:s-1 --after a-9 --home /tmp/h',
        '',
        'Not shown: 2 tool messages: --include-tools',
        '',
      ].join('\n'),
    );
  });

  it('SUR-23: control sequences in any block are shown harmless', () => {
    const types = ['text', 'reasoning', 'tool_call', 'tool_result', 'image', 'other'];
    const entries = types.map((type) => entry('m', 'user', [{ type, text: HOSTILE, name: HOSTILE }]));
    expect(renderPage({ ...PAGE, entries }, look('pipe'))).not.toMatch(HARMFUL);
  });

  it('SRC-58: what is printed to be run is one word for a shell', () => {
    expect(shellWord('agent:codex:0199-aa')).toBe('agent:codex:0199-aa');
    expect(shellWord("a b'; rm -r ~")).toBe("'a b'\\''; rm -r ~'");
  });
});

describe('lists', () => {
  it('SES-130: one row per session, by number', () => {
    const row = {
      sessionKey: 'agent:codex:a',
      sessionId: 'a',
      agentId: 'codex',
      kind: 'imported' as const,
      title: 'Speed up',
      createdAt: '2026-09-01T08:00:00.000Z',
      lastAt: '2026-09-01T11:59:30.000Z',
      messages: 1,
      archived: false,
      stale: false,
    };
    expect(renderSessions([row], look('pipe'))).toBe(
      '  1 codex  2026-09-01 13:59 UTC+02:00 (just now)  1 message\n    Speed up\n    agent:codex:a\n',
    );
  });
});

describe('words and numbers', () => {
  it('SUR-23: ages', () => {
    const minute = 60_000;
    expect([0, 5 * minute, 59 * minute, 60 * minute, 47 * 60 * minute, 48 * 60 * minute, -5 * minute].map(age)).toEqual(
      ['just now', '5 min ago', '59 min ago', '1 h ago', '47 h ago', '2 d ago', 'in 5 min, clock ahead'],
    );
    expect(timeWithAge('2026-01-01T00:00:00.000Z', 'UTC', NOW)).toBe('2026-01-01 00:00 UTC (243 d ago)');
    const at = '2026-08-31T22:05:00.000Z';
    expect([120, 0, -210, 345].map((minutes) => timeWithAge(at, () => minutes, NOW))).toEqual([
      '2026-09-01 00:05 UTC+02:00 (13 h ago)',
      '2026-08-31 22:05 UTC (13 h ago)',
      '2026-08-31 18:35 UTC-03:30 (13 h ago)',
      '2026-09-01 03:50 UTC+05:45 (13 h ago)',
    ]);
    expect(timeWithAge(at, 'Asia/Kathmandu', NOW)).toBe(timeWithAge(at, () => 345, NOW));
  });

  it('sizes and counts', () => {
    expect([0, 1023, 1024, 15 * 1024 ** 2, 3.2 * 1024 ** 3].map(bytesOf)).toEqual([
      '0 B',
      '1023 B',
      '1.0 KiB',
      '15 MiB',
      '3.2 GiB',
    ]);
    expect([count(1234567), counted(1, 'entry'), counted(2, 'entry'), counted(3, 'match'), counted(4, 'day')]).toEqual([
      '1 234 567',
      '1 entry',
      '2 entries',
      '3 matches',
      '4 days',
    ]);
  });

  it('COM-1: a shortened text ends in … inside its bound, and no surrogate pair is split', () => {
    expect(oneLine('abcdef', 4)).toBe('abc…');
    expect(oneLine('ab😀cd', 4)).toBe('ab…');
  });

  it('wraps on white space, and keeps line feeds', () => {
    expect(wrapped('one two three\n\nfour', 8)).toEqual(['one two', 'three', '', 'four']);
    expect(wrapMarked([{ text: 'verylongword', marked: true }], 4)).toEqual([[{ text: 'verylongword', marked: true }]]);
  });
});

function entry(messageId: string, role: HistoryEntry['role'], blocks: HistoryEntry['blocks']): HistoryEntry {
  return {
    type: 'message',
    sessionId: 's-1',
    messageId,
    ...(role === undefined ? {} : { role }),
    timestamp: '2026-09-01T08:00:00.000Z',
    blocks,
  };
}

const PAGE: HistoryResult = {
  sessionKey: 'agent:claude-code:s-1',
  sessionId: 's-1',
  view: 'current',
  entries: [
    entry('u-1', 'user', [{ type: 'text', text: 'why is checkout slow?' }]),
    entry('a-2', 'assistant', [
      { type: 'text', text: 'I will look.' },
      { type: 'tool_call', id: 't', name: 'Bash', text: '{"command":\n  "psql"}' },
    ]),
    entry('t-3', 'tool', [{ type: 'tool_result', id: 't', text: 'Seq Scan\n  on orders' }]),
    { ...entry('c-4', undefined, []), type: 'compaction' },
    entry('a-9', 'assistant', [
      { type: 'text', text: 'long', cut: { shown: 4, total: 13_000, next: { block: 0, from: 4 } } },
    ]),
  ],
  anchor: { messageId: 'a-2', found: true, index: 1 },
  total: 12,
  more: { older: true, newer: true, before: 'u-1', after: 'a-9' },
  windows: [],
  omitted: { tools: 2, reasoning: 0 },
  truncated: false,
  bytes: 900,
  indexing: false,
};

function resultWith(changes: Partial<SearchResult>): SearchResult {
  return {
    hits: [],
    indexing: false,
    coverage: {
      complete: false,
      truncated: false,
      ranked: { considered: 0, complete: true },
      indexing: { done: 0, total: 0 },
      skipped: [{ what: 'codex', reason: 'store_damaged' }],
      skippedTotal: 1,
      warnings: [],
      sessions: { searched: 1, stale: 0, unindexed: 0 },
      sources: [],
      notImported: 2,
    },
    ...changes,
  };
}

describe('reports', () => {
  it('SUR-71: counts are told in words, times as times, and what is empty not at all', () => {
    const result = {
      total: { sessions: 1 },
      agents: [
        {
          agentId: 'mainAgent',
          sessions: 1,
          lastSync: '2026-09-01T11:00:00.000Z',
          health: { parkedRuns: 2, skipped: {} },
        },
      ],
      skipped: [],
    };
    const lines = renderStats(result as never, look('pipe'))
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => line.trim().replace(/ {2,}/g, ': '))).toEqual([
      'total',
      'sessions: 1',
      'mainAgent',
      'sessions: 1',
      'last sync: 2026-09-01 13:00 UTC+02:00 (1 h ago)',
      'health',
      'parked runs: 2',
    ]);
  });

  it('SRC-54: a root that is not there is told once', () => {
    const source = { source: 'codex', title: 'Codex CLI', root: '/r', state: 'root_not_found', detail: 'ENOENT' };
    const report = { sources: [{ ...source, files: {}, counts: {}, sessions: 0, bytes: 0 }] };
    expect(renderSources(report as never, look('pipe'))).toBe('Codex CLI  /r  not there\n');
  });

  it('SUR-72: what an import took over is told in whole lines', () => {
    const [sessions, records] = [
      { imported: 2, kept: 1, erased: 1, taken: 1 },
      { imported: 3, kept: 1 },
    ];
    const result = { agent: 'a'.repeat(40), raw: false, sha256: '', sessions, entries: 9, records };
    const lines = renderImport(result).trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(line).toMatch(/\.$/);
    expect(lines[0]).toBe(`2 sessions with 9 entries and 3 records taken over for ${result.agent}.`);
  });

  it('SUR-20: a page that holds less than was asked for says so in a pipe too, a page of the limit at a terminal', () => {
    const told = (truncated: 'limit' | 'bytes' | false, errIsTerminal: boolean): string => {
      const io = keptIo({ errIsTerminal });
      hintMore(io, '49 sessions', { truncated, cursor: 'c' });
      return io.kept.err;
    };
    expect(told('bytes', false)).toBe('49 sessions, and no more fit on one page: go on with --cursor from --json.\n');
    expect(told('limit', true)).toBe('49 sessions, and there are more: add --limit N, or --cursor from --json.\n');
    expect([told('limit', false), told(false, true)]).toEqual(['', '']);
  });
});
