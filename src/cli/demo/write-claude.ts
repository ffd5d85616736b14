// A chapter as Claude Code would have written it: one JSON line per block, a tree of uuids (SRC-100).
import type { Chapter } from './story.ts';
import type { Draft } from './write-demo.ts';

export function claudeFile(
  chapter: Chapter,
  draft: Draft,
): { readonly path: string; readonly lines: readonly object[] } {
  const { session, project, timeOf, idOf } = draft;
  const lines: object[] = [];
  let parent: string | null = null;
  let logicalParent: string | null = null;
  const add = (index: number, part: string, fields: object): void => {
    const uuid = idOf(`${index}${part}`);
    lines.push({
      parentUuid: parent,
      ...(logicalParent === null ? {} : { logicalParentUuid: logicalParent }),
      isSidechain: false,
      cwd: project,
      sessionId: session,
      version: '2.1.230',
      gitBranch: 'main',
      ...fields,
      uuid,
      timestamp: timeOf(index),
    });
    parent = uuid;
    logicalParent = null;
  };
  const assistant = (index: number, part: string, block: object): void =>
    add(index, part, {
      type: 'assistant',
      message: { id: `msg_${session.slice(0, 8)}_${index}`, role: 'assistant', model: 'demo', content: [block] },
      requestId: `req_${session.slice(0, 8)}_${index}`,
    });
  for (const [index, turn] of chapter.turns.entries()) {
    if (turn.who === 'user') add(index, 'a', { type: 'user', message: { role: 'user', content: turn.text } });
    else if (turn.who === 'assistant') assistant(index, 'a', { type: 'text', text: turn.text });
    else if (turn.who === 'tool') {
      const id = `toolu_${session.slice(0, 8)}_${index}`;
      assistant(index, 'a', { type: 'tool_use', id, name: turn.name, input: turn.input });
      const result = { type: 'tool_result', tool_use_id: id, content: turn.output, is_error: false };
      add(index, 'b', {
        type: 'user',
        message: { role: 'user', content: [result] },
        toolUseResult: { stdout: turn.output, stderr: '' },
      });
    } else {
      logicalParent = parent;
      parent = null;
      add(index, 'a', {
        type: 'system',
        subtype: 'compact_boundary',
        compactMetadata: { trigger: 'auto', preTokens: 150_000 },
      });
      add(index, 'b', { type: 'user', isCompactSummary: true, message: { role: 'user', content: turn.text } });
    }
  }
  lines.push({ type: 'custom-title', customTitle: chapter.title, sessionId: session });
  return { path: `.claude/projects/${project.replace(/[^A-Za-z0-9-]/g, '-')}/${session}.jsonl`, lines };
}
