// A chapter as Codex CLI would have written it: a log of response items, and events that repeat them (SRC-120).
import type { Chapter } from './story.ts';
import type { Draft } from './write-demo.ts';

export function codexFile(
  chapter: Chapter,
  draft: Draft,
): { readonly path: string; readonly lines: readonly object[] } {
  const { session, project, timeOf } = draft;
  const lines: object[] = [];
  const add = (index: number, type: string, payload: object): void => {
    lines.push({ timestamp: timeOf(index), type, payload });
  };
  add(0, 'session_meta', {
    id: session,
    timestamp: timeOf(0),
    cwd: project,
    originator: 'codex_cli',
    cli_version: '0.147.0',
    source: 'cli',
    git: { branch: 'main' },
  });
  add(0, 'turn_context', { turn_id: `${session}-t1`, cwd: project, model: 'demo' });
  for (const [index, turn] of chapter.turns.entries()) {
    if (turn.who === 'user') {
      add(index, 'event_msg', { type: 'user_message', message: turn.text });
      add(index, 'response_item', {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: turn.text }],
      });
    } else if (turn.who === 'assistant') {
      add(index, 'response_item', {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: turn.text }],
      });
    } else if (turn.who === 'tool') {
      const call_id = `call_${session.slice(0, 8)}_${index}`;
      add(index, 'response_item', {
        type: 'function_call',
        name: turn.name,
        arguments: JSON.stringify(turn.input),
        call_id,
      });
      add(index, 'response_item', { type: 'function_call_output', call_id, output: turn.output });
    } else add(index, 'compacted', { message: turn.text, replacement_history: [] });
  }
  const [day, clock] = timeOf(0).slice(0, 19).split('T') as [string, string];
  const name = `rollout-${day}T${clock.replaceAll(':', '-')}-${session}.jsonl`;
  return { path: `.codex/sessions/${day.replaceAll('-', '/')}/${name}`, lines };
}
