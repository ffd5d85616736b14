// A chapter as OpenClaw would have written it: a header, then messages in a chain of ids (SRC-140).
import type { Chapter } from './story.ts';
import type { Draft } from './write-demo.ts';

export function openclawFile(
  chapter: Chapter,
  draft: Draft,
): { readonly path: string; readonly lines: readonly object[] } {
  const { session, timeOf } = draft;
  const lines: object[] = [{ type: 'session', version: 3, id: session, timestamp: timeOf(0), cwd: '/home/demo/claw' }];
  let parentId: string | null = null;
  const add = (index: number, part: string, fields: object): void => {
    const id = `e${index}${part}`;
    lines.push({ id, parentId, timestamp: timeOf(index), ...fields });
    parentId = id;
  };
  const message = (index: number, part: string, fields: object): void =>
    add(index, part, { type: 'message', message: { ...fields, timestamp: Date.parse(timeOf(index)) } });
  for (const [index, turn] of chapter.turns.entries()) {
    if (turn.who === 'user') message(index, '', { role: 'user', content: [{ type: 'text', text: turn.text }] });
    else if (turn.who === 'assistant') {
      message(index, '', {
        role: 'assistant',
        content: [{ type: 'text', text: turn.text }],
        model: 'demo',
        stopReason: 'stop',
      });
    } else if (turn.who === 'tool') {
      const call = { type: 'toolCall', id: `tc${index}`, name: turn.name, arguments: turn.input };
      message(index, 'a', { role: 'assistant', content: [call], model: 'demo', stopReason: 'toolUse' });
      const content = [{ type: 'text', text: turn.output }];
      message(index, 'b', {
        role: 'toolResult',
        toolCallId: `tc${index}`,
        toolName: turn.name,
        content,
        isError: false,
      });
    } else add(index, '', { type: 'compaction', summary: turn.text });
  }
  lines.push({
    type: 'session_info',
    id: 'title',
    parentId,
    timestamp: timeOf(chapter.turns.length),
    name: chapter.title,
  });
  return { path: `.openclaw/agents/main/sessions/${session}.jsonl`, lines };
}
