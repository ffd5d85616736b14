// Who asks. Set by the host, the server's flags or the authenticated principal, never by a model's arguments (VIS-2).
import { BackstoryError, shownValue } from '../model/errors.ts';
import { agentOfKey, isAgentId } from '../model/ids.ts';

/** The caller of a read (VIS-1). */
export interface Caller {
  /** The requesting agent. An operator needs none. */
  readonly agentId?: string;
  /** The session it speaks in; it need not exist yet. Without one it has no own session and no tree. */
  readonly sessionKey?: string;
  /** Runs in a sandbox. Default false. */
  readonly sandboxed?: boolean;
  /** The person it acts for, from a verified identity. */
  readonly person?: string;
  /** Trusted with everything but incognito. Default false. */
  readonly operator?: boolean;
}

/** The caller of people who run the machine: the command line, and a host's own maintenance (VIS-2). */
export function operator(options: { readonly person?: string } = {}): Caller {
  return { operator: true, ...(options.person === undefined ? {} : { person: options.person }) };
}

/** Throws `operator_required` for all but an operator that acts for no person: of `what`, nothing is one person's (VIS-70). */
export function assertUnbound({ operator: isOperator, person }: Caller, what: string): void {
  if (isOperator === true && person === undefined) return;
  const bound = isOperator === true ? ' that act for no person' : '';
  throw new BackstoryError('operator_required', `${what} is for operators${bound}.`, 'Call it as an operator.');
}

const FIELDS: Readonly<Record<string, 'string' | 'boolean'>> = {
  agentId: 'string',
  sessionKey: 'string',
  sandboxed: 'boolean',
  person: 'string',
  operator: 'boolean',
};

/** The same caller, checked. Throws `caller_invalid`, naming the field and its value (VIS-3). */
export function checkedCaller(caller: Caller): Caller {
  if (caller === null || typeof caller !== 'object') throw invalid(`${shown(caller)} is not an object`);
  for (const [field, value] of Object.entries(caller)) {
    const type = FIELDS[field];
    if (type === undefined) throw invalid(`it has no field ${shown(field)}`);
    if (value !== undefined && typeof value !== type) throw invalid(`${field} is ${shown(value)}, not a ${type}`);
  }
  const { agentId, sessionKey, person } = caller;
  if (agentId === undefined && caller.operator !== true) throw invalid('agentId is missing');
  if (agentId !== undefined && !isAgentId(agentId)) throw invalid(`agentId ${shown(agentId)} is no agent id`);
  if (person !== undefined && person.trim() === '') throw invalid('person is blank');
  if (sessionKey !== undefined) checkSession(sessionKey, agentId);
  return caller;
}

function checkSession(sessionKey: string, agentId: string | undefined): void {
  let owner: string;
  try {
    owner = agentOfKey(sessionKey);
  } catch (error) {
    throw invalid(`sessionKey ${shown(sessionKey)} is no session key`, error);
  }
  if (agentId !== undefined && owner !== agentId) {
    throw invalid(`sessionKey ${shown(sessionKey)} is of agent ${shown(owner)}, and agentId is ${shown(agentId)}`);
  }
}

function invalid(what: string, cause?: unknown): BackstoryError {
  return new BackstoryError(
    'caller_invalid',
    `The caller is not valid: ${what}.`,
    'A caller is { agentId, sessionKey?, sandboxed?, person? } with a session key of that agent, or operator().',
    { cause },
  );
}

function shown(value: unknown): string {
  return shownValue(value, 80);
}
