// The block `visibility`: every value is checked at once, and none falls back to something broader.
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import { openBackstory } from '../../src/engine/engine.ts';

function read(visibility: unknown) {
  return readConfig({ options: { visibility } as object }).visibility;
}

describe('the setting visibility', () => {
  test('VIS-10: what is given stands as it was given, what is absent is absent', () => {
    expect(readConfig({ options: {} }).visibility).toEqual({});
    const given = {
      visibility: 'tree',
      agentToAgent: { enabled: true, allow: [{ from: 'desk', to: 'archive-*', mutual: false }, 'HOME'] },
      sandbox: { sessions: 'all' },
      people: 'require',
      agents: { 'intern-*': { visibility: 'self', agentToAgent: { allow: [] } }, desk: {} },
    };
    expect(read(given)).toEqual(given);
  });

  test.each<[string, unknown, string]>([
    ['V-9 an unknown visibility', { visibility: 'everything' }, 'visibility.visibility'],
    ['V-9 a blank pattern', { agentToAgent: { allow: [''] } }, 'visibility.agentToAgent.allow[0]'],
    ['V-9 a text for the whole', 'everything', 'visibility'],
    ['a pattern of spaces', { agentToAgent: { allow: ['  '] } }, 'visibility.agentToAgent.allow[0]'],
    ['a blank from', { agentToAgent: { allow: [{ from: '', to: 'x' }] } }, 'visibility.agentToAgent.allow[0].from'],
    ['no to', { agentToAgent: { allow: [{ from: 'x' }] } }, 'visibility.agentToAgent.allow[0]'],
    ['a field no rule has', { agentToAgent: { allow: [{ from: 'x', two: 'y' }] } }, 'allow[0].two'],
    ['allow as a text', { agentToAgent: { allow: '*' } }, 'visibility.agentToAgent.allow'],
    ['enabled as a word', { agentToAgent: { enabled: 'no' } }, 'visibility.agentToAgent.enabled'],
    ['an unknown key', { agentToAgnet: {} }, 'visibility.agentToAgnet'],
    ['sandbox.sessions', { sandbox: { sessions: 'none' } }, 'visibility.sandbox.sessions'],
    ['people', { people: 'all' }, 'visibility.people'],
    ['a blank override', { agents: { ' ': {} } }, 'visibility.agents'],
    ['a bad value in an override', { agents: { desk: { visibility: 'none' } } }, 'visibility.agents.desk.visibility'],
    ['an unknown key in an override', { agents: { desk: { sandbox: { session: 'all' } } } }, 'desk.sandbox.session'],
    ['null', { visibility: null }, 'visibility.visibility'],
  ])('VIS-11: %s is config_invalid and named, and the engine does not open', async (_what, value, named) => {
    expect(() => read(value)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    expect(() => read(value)).toThrow(named);
    await expect(openBackstory({ visibility: value as never })).rejects.toMatchObject({ code: 'config_invalid' });
  });
});
