// Namespaces and contexts: cases/episodes.md "Settings and namespaces", rules EPI-10 … EPI-17, EPI-22 … EPI-24.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DIMENSIONS, type Scope } from '../../src/config/index.ts';
import { defineMemory } from '../../src/episodes/define.ts';
import { formatNamespace, isWithinPrefix, parseNamespace } from '../../src/episodes/namespace.ts';
import { makeSteps, NS, removeSteps } from './steps.ts';

afterEach(removeSteps);

const schema = z.object({ event: z.string() });
const tenant = defineMemory({ kind: 'episodic', scope: ['workspace', 'tenant'], schema });
const refused = (code: string): object => expect.objectContaining({ code });

describe('namespaces (EPI-11, EPI-12, EPI-16)', () => {
  test('E-76, E-77, E-78: what separates is escaped, tuples stay apart, the order is fixed', () => {
    const written = formatNamespace({ tenant: 'a|b=c%d' });
    expect(written).toBe('tenant=a%7Cb%3Dc%25d');
    expect(parseNamespace(written)).toEqual({ tenant: 'a|b=c%d' });
    const one = formatNamespace({ workspace: 'a', tenant: 'b|user=c' });
    expect(one).not.toBe(formatNamespace({ workspace: 'a', tenant: 'b', user: 'c' }));
    expect(formatNamespace({ user: 'u', workspace: 'w', agent: 'x' })).toBe('workspace=w|user=u|agent=x');
    expect(formatNamespace({ route: '/a b/[id]', tenant: 'Ä\n' })).toBe('route=/a b/[id]|tenant=Ä%0A');
    expect(formatNamespace({ tenant: 'e\u0301' })).toBe('tenant=é');
  });

  test('EPI-11: parse(format(x)) is x for every valid tuple, and two tuples are two namespaces', () => {
    const value = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => Buffer.byteLength(text) < 80);
    const tuple = fc
      .record(Object.fromEntries(DIMENSIONS.map((name) => [name, value])), { requiredKeys: [] })
      .filter((scope) => Object.keys(scope).length > 0) as fc.Arbitrary<Scope>;
    fc.assert(
      fc.property(tuple, tuple, (a, b) => {
        const normal = (scope: Scope): Scope =>
          Object.fromEntries(Object.entries(scope).map(([name, text]) => [name, text.normalize('NFC')]));
        expect(parseNamespace(formatNamespace(a))).toEqual(normal(a));
        const same =
          JSON.stringify(Object.entries(normal(a)).sort()) === JSON.stringify(Object.entries(normal(b)).sort());
        expect(formatNamespace(a) === formatNamespace(b)).toBe(same);
      }),
    );
  });

  test.each([
    ['an unknown dimension', 'team=x'],
    ['a repeated one', 'tenant=a|tenant=b'],
    ['a misplaced one', 'tenant=a|workspace=b'],
    ['an empty value', 'workspace='],
    ['no value', 'workspace'],
    ['a bad escape', 'tenant=a%7c'],
    ['half an escape', 'tenant=a%7'],
    ['an escape that is not needed', 'tenant=%41'],
    ['bytes that are no UTF-8', 'tenant=%FF'],
    ['a separator in a value', 'tenant=a=b'],
    ['nothing', ''],
  ])('EPI-12: %s is namespace_invalid and names the part', (_what, namespace) => {
    expect(() => parseNamespace(namespace)).toThrow(refused('namespace_invalid'));
  });

  test('EPI-11: a value over 256 bytes encoded, or with half a surrogate pair, is namespace_invalid', () => {
    expect(() => formatNamespace({ tenant: 'x'.repeat(257) })).toThrow(refused('namespace_invalid'));
    expect(() => formatNamespace({ tenant: '|'.repeat(86) })).toThrow(refused('namespace_invalid'));
    expect(formatNamespace({ tenant: 'x'.repeat(256) })).toHaveLength(263);
    expect(() => formatNamespace({ tenant: 'a\ud800' })).toThrow(refused('namespace_invalid'));
  });

  test('EPI-16: a prefix ends at a delimiter, literally, with case', () => {
    const prefix = 'workspace=my_app|route=/a';
    expect(isWithinPrefix(prefix, prefix)).toBe(true);
    expect(isWithinPrefix(`${prefix}|tenant=x`, prefix)).toBe(true);
    expect(isWithinPrefix('workspace=my_app|route=/ab', prefix)).toBe(false);
    expect(isWithinPrefix('workspace=myXapp|route=/a', 'workspace=my_app')).toBe(false);
    expect(isWithinPrefix('workspace=MY_APP', 'workspace=my_app')).toBe(false);
    expect(() => isWithinPrefix(prefix, '')).toThrow(refused('namespace_invalid'));
  });
});

describe('contexts (EPI-10, EPI-13 … EPI-15)', () => {
  test('EPI-13: workspace from the setting, else the project; route with one leading slash and none at the end', async () => {
    const steps = await makeSteps();
    expect((await steps.context({ route: 'a/' })).namespace).toBe(NS);
    expect((await steps.context({ route: '/a/[id]' })).namespace).toBe('workspace=app|route=/a/[id]');
    const folder = mkdtempSync(join(tmpdir(), 'backstory-project-'));
    try {
      writeFileSync(join(folder, 'package.json'), '{"name":"@acme/desk"}');
      mkdirSync(join(folder, 'deep'));
      const memory = { episodes: { enabled: true } };
      const project = await makeSteps({}, { memory, project: join(folder, 'deep') });
      expect((await project.context()).namespace).toBe('workspace=@acme/desk|route=/a');
      const findings = (await project.backstory.episodes.doctor({ route: '/a' })).findings.map(({ code }) => code);
      expect(findings).toContain('workspace_derived');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.each([
    ['E-79', {}],
    ['E-80', { scope: { tenant: '' } }],
  ])('%s, EPI-14: a declared dimension without a value closes the context', async (_id, given) => {
    const steps = await makeSteps({ resolveScope: () => ({ tenant: '' }) });
    const context = await steps.context({ definition: tenant, ...given });
    expect(context.namespace).toBeUndefined();
    expect(await context.recorder.start({ input: 'x' }).settle()).toMatchObject({
      recorded: false,
      reason: 'no_scope',
    });
    await expect(context.recall()).rejects.toMatchObject({
      code: 'scope_unresolved',
      details: { dimensions: ['tenant'] },
    });
    await expect(context.remember({ data: { event: 'x' } })).rejects.toMatchObject({ code: 'scope_unresolved' });
    const tools = context.tools();
    const said = await tools.recall.execute({});
    expect(said.text).toBe('Memory is unavailable for this request: no tenant scope. Nothing was recalled or stored.');
    expect((await tools.remember!.execute({ data: { event: 'x' } })).text).toBe(said.text);
    expect(await steps.all()).toEqual([]);
  });

  test('EPI-13, EPI-14: resolveScope gives what the context leaves out; what it throws closes the context', async () => {
    const asked: unknown[] = [];
    const steps = await makeSteps({
      resolveScope: async (request) => {
        asked.push(request);
        return { tenant: 'acme' };
      },
    });
    expect((await steps.context({ definition: tenant })).namespace).toBe('workspace=app|tenant=acme');
    expect(asked).toEqual([{ agent: 'main', route: '/a', scope: {}, missing: ['tenant'] }]);
    const given = await steps.context({ definition: tenant, scope: { tenant: 'own' } });
    expect(given.namespace).toBe('workspace=app|tenant=own');
    const broken = await makeSteps({ resolveScope: () => Promise.reject(new Error('ldap')) });
    expect((await broken.context({ definition: tenant })).namespace).toBeUndefined();
  });

  test('E-84, EPI-13: a key that is no dimension names the nearest', async () => {
    const steps = await makeSteps();
    await expect(steps.context({ scope: { tennant: 'x' } as never })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { nearest: 'tenant' },
    });
    await expect(steps.context({ rout: '/a' } as never)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(steps.context({ agent: 'A B' })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('EPI-13: the same namespace in two agents’ stores is two memories', async () => {
    const steps = await makeSteps();
    await (await steps.context({ agent: 'one' })).recorder.start({ input: 'x' }).settle();
    expect((await (await steps.context({ agent: 'two' })).recall()).records).toEqual([]);
    expect((await (await steps.context({ agent: 'one' })).recall()).records).toHaveLength(1);
  });

  test('E-83, EPI-15: an id of another namespace answers as one that does not exist', async () => {
    const steps = await makeSteps();
    const id = await steps.record('x');
    const { episodes } = steps.backstory;
    const of = (asked: string): Promise<unknown> =>
      episodes.inspect({ id: asked, namespace: 'workspace=other' }).then(
        () => undefined,
        ({ code, message, hint }) => ({ code, message: message.replace(asked, ''), hint }),
      );
    expect(await of(id)).toEqual(await of('mem_none'));
    expect(await of(id)).toMatchObject({ code: 'record_not_found' });
    expect((await episodes.inspect({ id, namespace: NS })).record.id).toBe(id);
  });
});

describe('definitions of routes (EPI-10)', () => {
  const withRoute = async (text: string): Promise<Awaited<ReturnType<typeof makeSteps>>> => {
    const folder = mkdtempSync(join(tmpdir(), 'backstory-routes-'));
    folders.push(folder);
    mkdirSync(join(folder, 'support'), { recursive: true });
    writeFileSync(join(folder, 'support', 'memory.ts'), text);
    return makeSteps({ routesDir: folder });
  };
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const source = JSON.stringify(join(import.meta.dirname, '../../src/episodes/define.ts'));
  const zod = JSON.stringify(join(import.meta.dirname, '../../node_modules/zod/index.js'));

  test('EPI-10: memory.ts of a route is its definition; a route without one has none', async () => {
    const steps = await withRoute(`
      import { defineMemory } from ${source};
      import { z } from ${zod};
      const scope: readonly ('workspace' | 'tenant')[] = ['workspace', 'tenant'];
      export default defineMemory({ kind: 'episodic', scope, schema: z.object({ event: z.string() }) });`);
    const context = await steps.context({ route: '/support', scope: { tenant: 't' } });
    expect(context.namespace).toBe('workspace=app|tenant=t');
    expect((await context.tools().remember!.execute({ data: { event: 'x' } })).status).toBe('stored');
    expect((await steps.context({ route: '/other' })).tools().remember).toBeUndefined();
    expect((await steps.context({ route: '/../../etc' })).tools().remember).toBeUndefined();
  });

  test.each([
    ['E-174', 'export default defineMemory({ kind:'],
    ['EPI-10', 'throw new Error("at load");'],
    ['EPI-10', 'export default { kind: "episodic" };'],
    ['EPI-10', 'import "./nowhere.js";'],
  ])('%s: one that does not load is definition_invalid with its file, never none', async (_id, text) => {
    const steps = await withRoute(text);
    await expect(steps.context({ route: '/support' })).rejects.toMatchObject({
      code: 'definition_invalid',
      message: expect.stringContaining('memory.ts'),
      details: { file: expect.stringContaining('memory.ts'), reason: expect.any(String) },
    });
  });
});

describe('modes (EPI-22 … EPI-24)', () => {
  const events = defineMemory({ kind: 'episodic', scope: ['workspace', 'route'], schema });

  test('E-74, EPI-22, EPI-24: off records nothing, has no remember tool, and recalls', async () => {
    const steps = await makeSteps();
    await steps.record('before');
    const off = await (await steps.another({ writes: 'off' })).episodes.context({ route: '/a', definition: events });
    expect(await off.recorder.start({ input: 'x' }).settle()).toMatchObject({ recorded: false, reason: 'writes_off' });
    expect(off.tools().remember).toBeUndefined();
    await expect(off.remember({ data: { event: 'x' } })).rejects.toMatchObject({ code: 'writes_off' });
    expect((await off.recall()).records.map(({ data }) => data.input)).toEqual(['before']);
  });

  test('E-75, EPI-22: without settings the recorder is disabled', async () => {
    const steps = await makeSteps({}, { memory: {} });
    const { recorder } = await steps.context();
    expect(await recorder.start({ input: 'x' }).settle()).toMatchObject({ recorded: false, reason: 'disabled' });
    expect(await steps.all()).toEqual([]);
  });

  test('E-73, EPI-23: embed: true is said once, and records land', async () => {
    const steps = await makeSteps({ episodes: { embed: true } });
    for (const input of ['a', 'b', 'c']) await steps.record(input);
    expect(steps.lines).toEqual(['backstory: memory.episodes.embed has no effect; records are found by their words.']);
    expect(await steps.all()).toHaveLength(3);
  });

  test.each(['candidate', 'auto', 'ask'] as const)(
    'EPI-24: with %s the recorder writes active records',
    async (writes) => {
      const steps = await makeSteps({ writes });
      await steps.record('x');
      expect((await steps.all()).map(({ status }) => status)).toEqual(['active']);
    },
  );
});
