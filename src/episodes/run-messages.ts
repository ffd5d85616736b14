// What a run was asked, and which tools a final state says it used: from a text, from messages of the common shapes
// (AI SDK, OpenAI, Anthropic, LangChain), or from anything else as JSON (EPI-35, EPI-36). Never throws.
import { sortedJson } from '../model/episode-ids.ts';

export const UNREADABLE = '[unreadable input]';

/** The whole input as text, neither redacted nor cut. */
export function inputText(input: unknown): string {
  try {
    if (input === undefined || input === null) return '';
    if (typeof input === 'string') return input;
    const messages = messagesIn(input);
    if (messages !== undefined) return textOf(messages[lastUser(messages)]);
    const json = sortedJson(input);
    return json === 'null' ? UNREADABLE : json;
  } catch {
    return UNREADABLE;
  }
}

/** Names of tools that were called after the last user message and have a result, each once, in order of first call. */
export function toolsIn(finalState: unknown): string[] {
  try {
    const messages = messagesIn(finalState) ?? [];
    const calls: { readonly id: string | undefined; readonly name: string }[] = [];
    const answered = new Set<string>();
    const turn = messages.slice(lastUser(messages) + 1);
    for (const message of turn) {
      for (const call of callsIn(message)) {
        calls.push(call);
        if (call.done) answered.add(call.id ?? call.name);
      }
      for (const id of resultsIn(message)) answered.add(id);
    }
    return [...new Set(calls.filter(({ id, name }) => answered.has(id ?? name)).map(({ name }) => name))];
  } catch {
    return [];
  }
}

type Message = Record<string, unknown>;
type Call = { readonly id: string | undefined; readonly name: string; readonly done: boolean };

function messagesIn(value: unknown): readonly Message[] | undefined {
  const list = Array.isArray(value) ? value : (value as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(list)) return undefined;
  return list.every((each) => isObject(each) && roleOf(each) !== undefined) ? list : undefined;
}

function roleOf(message: Message): string | undefined {
  if (typeof message.role === 'string') return message.role;
  const type =
    typeof message.getType === 'function' ? (message.getType as () => unknown)() : (message._getType ?? message.type);
  const name = typeof type === 'function' ? (type as () => unknown).call(message) : type;
  if (typeof name !== 'string') return undefined;
  return name === 'human' ? 'user' : name === 'ai' ? 'assistant' : name;
}

/** Index of the last message of a user; one that only carries results of tools is none. −1 without one. */
function lastUser(messages: readonly Message[]): number {
  return messages.findLastIndex((message) => {
    if (roleOf(message) !== 'user') return false;
    const parts = partsOf(message);
    return parts.length === 0 || !parts.every((part) => part.type === 'tool_result' || part.type === 'tool-result');
  });
}

function textOf(message: Message | undefined): string {
  if (message === undefined) return '';
  if (typeof message.content === 'string') return message.content;
  const texts = partsOf(message).flatMap((part) =>
    part.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
  );
  return texts.join(' ');
}

function partsOf(message: Message): readonly Message[] {
  const parts = Array.isArray(message.content) ? message.content : Array.isArray(message.parts) ? message.parts : [];
  return parts
    .map((part: unknown) => (typeof part === 'string' ? { type: 'text', text: part } : part))
    .filter(isObject);
}

function callsIn(message: Message): Call[] {
  const calls: Call[] = [];
  const add = (id: unknown, name: unknown, done = false): void => {
    if (typeof name === 'string' && name !== '')
      calls.push({ id: typeof id === 'string' ? id : undefined, name, done });
  };
  for (const part of partsOf(message)) {
    const type = typeof part.type === 'string' ? part.type : '';
    if (type === 'tool-call') add(part.toolCallId, part.toolName);
    else if (type === 'tool_use') add(part.id, part.name);
    else if (type === 'dynamic-tool') add(part.toolCallId, part.toolName, isDone(part));
    // AI SDK messages for a page carry a call and its result in one part.
    else if (type.startsWith('tool-') && type !== 'tool-result') add(part.toolCallId, type.slice(5), isDone(part));
  }
  for (const call of listOf(message.tool_calls)) {
    const made = isObject(call.function) ? call.function : call;
    add(call.id, made.name);
  }
  return calls;
}

function resultsIn(message: Message): string[] {
  const ids: unknown[] = [message.tool_call_id, message.toolCallId];
  for (const part of partsOf(message)) {
    if (part.type === 'tool-result') ids.push(part.toolCallId);
    else if (part.type === 'tool_result') ids.push(part.tool_use_id);
  }
  return ids.filter((id) => typeof id === 'string');
}

function isDone(part: Message): boolean {
  return part.state === 'output-available' || part.state === 'output-error';
}

function listOf(value: unknown): readonly Message[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Message {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
