// What a write to a session did, in a line or two; the current view as text.
import type {
  AppendedMany,
  ArchiveResult,
  CompactResult,
  CurrentView,
  EraseReceipt,
  ResetResult,
  RewindResult,
} from '../../api/face.ts';
import { renderReceipt } from './receipt.ts';
import { harmless } from './text.ts';
import { counted } from './time.ts';

export function renderWritten(operation: string, result: unknown): string {
  switch (operation) {
    case 'sessions_append':
      return appended(result as AppendedMany);
    case 'sessions_reset':
      return reset(result as ResetResult);
    case 'sessions_rewind':
    case 'sessions_switch':
      return moved(result as RewindResult);
    case 'sessions_compact':
      return `Wrote a summary, entry ${(result as CompactResult).entryId}.\n`;
    case 'sessions_archive':
      return archived(result as ArchiveResult);
    case 'sessions_delete':
      return renderReceipt(result as EraseReceipt);
    default:
      return view(result as CurrentView);
  }
}

function appended({ messages, sessionId }: AppendedMany): string {
  const fresh = messages.filter((one) => one.appended).length;
  const known = messages.length - fresh;
  const there = known === 0 ? '' : `, ${known} ${known === 1 ? 'was' : 'were'} there already`;
  return `Wrote ${counted(fresh, 'message')} to ${harmless(sessionId)}${there}.\n`;
}

function reset({ sessionId, kept }: ResetResult): string {
  return `Reset; ${counted(kept.length, 'message')} kept. The window is ${harmless(sessionId)}.\n`;
}

function moved({ abandoned, entryId }: RewindResult): string {
  return `${counted(abandoned, 'entry')} left the branch. The newest entry is ${harmless(entryId)}.\n`;
}

function archived({ sessionKey, archived: is }: ArchiveResult): string {
  return `${harmless(sessionKey)} is ${is ? 'archived' : 'not archived'}.\n`;
}

function view({ entries }: CurrentView): string {
  const lines = entries.map((entry) => {
    const who = entry.type === 'message' ? entry.role : entry.type;
    const { content } = entry;
    const said =
      typeof content === 'string'
        ? content
        : (content ?? []).map((block) => (typeof block.text === 'string' ? block.text : `[${block.type}]`)).join('\n');
    return harmless(`${who}: ${entry.summary ?? entry.reason ?? said}`);
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
