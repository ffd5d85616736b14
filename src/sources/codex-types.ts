// Codex CLI's words: its tags, its types of records, and what the first record says of a session (SRC-122, SRC-124, SRC-125).
import { hash } from 'node:crypto';
import { textOf } from './content.ts';
import type { SessionFacts } from './contract.ts';
import type { Envelope } from './envelopes.ts';

type Fields = Record<string, unknown>;

export const ENVELOPE: Envelope = {
  // What an editor puts before the prompt: open files, the selection.
  heading: ['# Context from my IDE setup:', '## My request for Codex:'],
  tags: [
    ...['environment_context', 'user_instructions', 'permissions instructions', 'codex_internal_context'],
    ...['recommended_plugins', 'turn_aborted', 'subagent_notification', 'skill'],
  ],
  prefixes: ['# AGENTS.md instructions for', '<codex_internal_context', '<user_instructions>'],
};
export const CALLS: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'web_search_call',
  'tool_search_call',
]);
export const OUTPUTS: ReadonlySet<string> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
  'tool_search_output',
]);
export const EVENTS: ReadonlySet<string> = new Set(['user_message', 'agent_message', 'agent_reasoning']);
export const META_EVENTS: ReadonlySet<string> = new Set([
  ...[
    'token_count',
    'task_started',
    'task_complete',
    'turn_started',
    'turn_complete',
    'turn_aborted',
    'exec_command_begin',
  ],
  ...['exec_command_end', 'exec_command_output_delta', 'patch_apply_begin', 'patch_apply_end', 'session_configured'],
  ...['background_event', 'mcp_tool_call_begin', 'mcp_tool_call_end', 'context_compacted', 'plan_update', 'turn_diff'],
  ...[
    'web_search_begin',
    'web_search_end',
    'agent_reasoning_section_break',
    'agent_reasoning_raw_content',
    'item_completed',
  ],
]);
export const TYPES: ReadonlySet<string> = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'message',
]);

/** What `session_meta` says. */
export function factsOf(payload: Fields): SessionFacts {
  const git = payload.git as Fields | undefined;
  const source = payload.source as Fields | undefined;
  const spawn = (source?.subagent as Fields | undefined)?.thread_spawn as Fields | undefined;
  const parent = textOf(spawn?.parent_thread_id);
  return {
    ...optional('cwd', textOf(payload.cwd)),
    ...optional('version', textOf(payload.cli_version)),
    ...optional('gitBranch', textOf(git?.branch)),
    ...optional('forkedFrom', textOf(payload.forked_from_id)),
    ...(parent === '' ? {} : { spawnedBy: { native: parent }, automation: true as const }),
  };
}

function optional<Name extends string>(name: Name, value: string): { [Key in Name]?: string } {
  return (value === '' ? {} : { [name]: value }) as { [Key in Name]?: string };
}

/** Arguments are JSON inside a string: shown as they are when they parse (SRC-122). */
export function decoded(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

export function digest(kind: string, text: string): string {
  return hash('sha256', `${kind}\0${text}`, 'base64').slice(0, 16);
}
