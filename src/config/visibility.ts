// Checks of the setting `visibility`: who sees which sessions (VIS-10 … VIS-13). Nothing falls back to something broader.
import { type Check, flag, invalid, listOf, oneOf, plainObject, unknownKey } from './checks.ts';
import type { AllowSetting } from './config.ts';

const AGENT_PATTERN = /^[A-Za-z0-9_*-]{1,128}$/;

/** An agent id in which `*` stands for any run of characters; letter case is ignored. */
const pattern: Check = {
  allowed: 'an agent id, in which * stands for any run of characters',
  read(value, path) {
    if (typeof value !== 'string' || !AGENT_PATTERN.test(value)) throw invalid(path, value, pattern.allowed);
    return value;
  },
};

const PAIR: Readonly<Record<keyof Exclude<AllowSetting, string>, Check>> = { from: pattern, to: pattern, mutual: flag };

const rule: Check = {
  allowed: 'an agent id or pattern, or { from, to, mutual? }',
  read(value, path) {
    if (typeof value === 'string') return pattern.read(value, path);
    const read = fields(PAIR, rule.allowed).read(value, path) as Record<string, unknown>;
    if (read.from === undefined || read.to === undefined) throw invalid(path, value, rule.allowed);
    return read;
  },
};

export const visibility: Check = oneOf('all', 'agent', 'tree', 'self');
export const allow: Check = listOf(rule);
export const sandboxSessions: Check = oneOf('spawned', 'all');
export const people: Check = oneOf('narrow', 'require');

const RULES: Check = fields(
  {
    visibility,
    agentToAgent: fields({ enabled: flag, allow }, 'an object with enabled? and allow?'),
    sandbox: fields({ sessions: sandboxSessions }, 'an object with sessions?'),
    people,
  },
  'an object with visibility?, agentToAgent?, sandbox? and people?',
);

/** Rules by requesting agent: its id, or a pattern. */
export const agents: Check = {
  allowed: 'an object: agent ids or patterns, each with the settings that differ for that requester',
  read(value, path) {
    const entries = Object.entries(plainObject(value, path, agents.allowed));
    return Object.fromEntries(
      entries.map(([name, rules]) => {
        const full = `${path}.${name}`;
        return [pattern.read(name, full) as string, RULES.read(rules, full)];
      }),
    );
  },
};

/** An object of which every field may be absent. */
function fields(checks: Readonly<Record<string, Check>>, allowed: string): Check {
  return {
    allowed,
    read(value, path) {
      const given = Object.entries(plainObject(value, path, allowed)).filter(([, each]) => each !== undefined);
      return Object.fromEntries(
        given.map(([name, each]) => {
          const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
          if (check === undefined) throw unknownKey(path, name, Object.keys(checks));
          return [name, check.read(each, `${path}.${name}`)];
        }),
      );
    },
  };
}
