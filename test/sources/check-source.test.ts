import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Source, SourceEntry } from '../../src/sources/contract.ts';
import { builtInSources, checkSource } from '../../src/sources/index.ts';
import { claude, claw, codex, linesOf } from '../steps/world.ts';
import { zstdOf } from './compress.ts';
import { removeRoots, rootWith } from './model-sink.ts';

afterEach(removeRoots);

const clock = { now: () => Date.UTC(2026, 8, 30), elapsed: () => 0 };
const text = (lines: readonly object[]): string => `${linesOf(lines)}\n`;
const claudeFiles = {
  'projects/-p/s-1.jsonl': text([
    claude.user('u-1', 'ask'),
    claude.assistant('a-1', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }], 'u-1'),
    claude.user('u-2', [{ type: 'tool_result', tool_use_id: 't', content: 'a.txt' }], 'a-1'),
    claude.assistant('a-2', [{ type: 'thinking', thinking: 'hm' }], 'u-2'),
  ]),
  'projects/-p/s-1/subagents/agent-ab.jsonl': text([
    claude.user('n-1', 'look', null, { agentId: 'ab', isSidechain: true }),
  ]),
};
const output = { type: 'response_item', payload: { type: 'function_call_output', call_id: 'c', output: 'ok' } };
const codexText = text([codex.meta('c-1'), codex.turn('t-1'), codex.item('user', 'ask'), output]);
const FILES: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
  'claude-code': claudeFiles,
  codex: {
    'sessions/rollout-2026-09-01T08-00-00-c-1.jsonl': codexText,
    'archived_sessions/rollout-2026-09-01T08-00-00-c-2.jsonl.zst': zstdOf(Buffer.from(codexText)),
  },
  openclaw: {
    'agents/main/sessions/s-9.jsonl': text([claw.session('s-9'), claw.message('e1', null, 'user', 'one')]),
    'agents/main/sessions/s-8-topic-3.jsonl.reset.2026': text([
      claw.session('s-8'),
      claw.message('e1', null, 'user', 'x'),
    ]),
  },
};

describe('the checks that third parties run (SRC-6)', () => {
  test.each(builtInSources.map((source) => [source.name, source] as const))(
    'SRC-6: %s keeps to the contract',
    async (name, source) => {
      expect(await checkSource(source, { root: rootWith(FILES[name]!), clock })).toEqual([]);
    },
  );

  test('SRC-6: what a reader does wrong is named by its rule', async () => {
    const root = rootWith(claudeFiles);
    const [good] = builtInSources;
    const bad: Source = {
      ...good!,
      discover: async (host, given) => (await good!.discover(host, given)).filter((found) => 'instance' in found),
      async read(instance, file, options, out) {
        writeFileSync(join(root, 'left-behind'), 'x');
        const entry = (one: SourceEntry): void => {
          const { text: _, ...rest } = one;
          out.entry(options.parse === 'fast' ? { ...rest, id: '', at: Number.NaN } : one);
        };
        const { link, mark, facts, retract, count, restart, commit, rollback } = out;
        const sink = { entry, link, mark, facts, retract, count, restart, commit, rollback };
        return good!.read(instance, file, { ...options, state: undefined }, sink);
      },
      reopen: async () => ({ value: 'anything' }),
    };
    const rules = new Set((await checkSource(bad, { root, clock })).map((line) => line.split(':')[0]));
    expect([...rules].sort()).toEqual(['SRC-1', 'SRC-13', 'SRC-20', 'SRC-22', 'SRC-28', 'SRC-3', 'SRC-43', 'SRC-63']);
  });
});
