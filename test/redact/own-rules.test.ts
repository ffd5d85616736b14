// A host's own rules, and the check of their patterns (MASK-51, MASK-52); what is allowed, and groups (MASK-39, MASK-53).
import { describe, expect, test } from 'vitest';
import { Masker, type MaskRule } from '../../src/redact/masker.ts';
import { unsafePart } from '../../src/redact/pattern-check.ts';
import { rulesMasker } from '../../src/redact/rules.ts';
import { fill } from './notation.ts';

const rules = (...given: MaskRule[]): Masker => Masker.rules(given);

describe('rules of a host', () => {
  test('MASK-51: a rule hides what its pattern finds, with its name as the marker', () => {
    expect(rules({ name: 'acme', pattern: /ACME-\d{6}/ }).mask('x ACME-123456 ACME-1 ACME-654321')).toBe(
      'x [hidden:acme] ACME-1 [hidden:acme]',
    );
  });

  test('MASK-51: only a group, by number or by name', () => {
    expect(rules({ name: 'pin', pattern: /pin (\d{4})/, group: 1 }).mask('pin 1234')).toBe('pin [hidden:pin]');
    expect(rules({ name: 'pin', pattern: /pin (?<p>\d{4})/, group: 'p' }).mask('pin 1234')).toBe('pin [hidden:pin]');
  });

  test('MASK-51: hints decide whether it runs, keep whether a value stays', () => {
    const hinted = rules({ name: 'pin', pattern: /\d{4}/, hints: ['pin', 'code'] });
    expect(hinted.mask('1234')).toBe('1234');
    expect(hinted.mask('code 1234')).toBe('code [hidden:pin]');
    expect(rules({ name: 'pin', pattern: /\d{4}/, keep: (value) => value === '0000' }).mask('0000 1234')).toBe(
      '0000 [hidden:pin]',
    );
  });

  test('MASK-51: they run on any masker, and behind credentials', () => {
    const masker = Masker.compose(Masker.credentials(), rules({ name: 'acme', pattern: /ACME-\w{1,40}/ }));
    expect(masker.mask(fill('ACME-1 ghp_{R36} API_KEY=ACME-x1y2'))).toBe(
      '[hidden:acme] [hidden:credential] API_KEY=[hidden:credential]',
    );
  });

  test('MASK-5: a rule that would take its own marker again does not', () => {
    const masker = rules({ name: 'x', pattern: /id=(.{1,40})/, group: 1 });
    const once = masker.mask(`id=${'abc'.repeat(40)}`);
    expect(masker.mask(once)).toBe(once);
  });

  test('MASK-6: a pattern over lines leaves line feeds', () => {
    expect(rules({ name: 'x', pattern: /a\nb\nc/ }).mask('-a\nb\nc-')).toBe('-[hidden:x]\n\n-');
  });

  test.each([
    [{ name: 'Big', pattern: /a/ }],
    [{ name: '', pattern: /a/ }],
    [{ name: 'x'.repeat(33), pattern: /a/ }],
    [{ name: 'x', pattern: /a/, group: 1 }],
    [{ name: 'x', pattern: /a/, group: 'g' }],
    [{ name: 'x', pattern: 'a' as unknown as RegExp }],
  ])('MASK-10: %j is invalid_argument', (rule) => {
    expect(() => rules(rule)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });

  test('MASK-8: every part of a rule is in the fingerprint', () => {
    const base: MaskRule = { name: 'x', pattern: /a/ };
    const keep = (value: string): boolean => value === 'a';
    const all = [
      base,
      { ...base, name: 'y' },
      { ...base, pattern: /a/i },
      { ...base, hints: ['a'] },
      { ...base, keep },
    ];
    expect(new Set(all.map((rule) => rules(rule).fingerprint)).size).toBe(all.length);
  });
});

describe('patterns that are not linear', () => {
  test.each([
    ['M-130', /(a+)+$/],
    ['MASK-52, nested', /(?:a*)*b/],
    ['MASK-52, nested', /(\w+\s?)+!/],
    ['MASK-52, nested', /(?:a|ab?|a)+c/],
    ['MASK-52, nested and bounded', /(?:a{1,64}){1,64}b/],
    ['MASK-52, adjacent', /\d+\d+x/],
    ['MASK-52, adjacent', /\s*['"]?\s*=/],
    ['MASK-52, adjacent', /x.*a.*b/],
    ['MASK-52, adjacent and bounded', /x\w{0,200}\w{0,200}!/],
    ['MASK-52, a back reference', /(a)b\1/],
    ['MASK-52, a back reference', /(?<q>a)b\k<q>/],
    ['MASK-52, look-behind', /(?<=a+)b/],
    ['MASK-52, the empty text', /a*/],
    ['MASK-52, the empty text', /(?:)/],
    ['MASK-60, every unit begins again', /\w+@acme/],
    ['MASK-60, every unit begins again', /x[^,]*,[^;]*;/],
  ])('%s: %s is mask_rule_unsafe', (_id, pattern) => {
    const add = (): Masker => rules({ name: 'mine', pattern });
    expect(add).toThrow(
      expect.objectContaining({ code: 'mask_rule_unsafe', message: expect.stringContaining('mine') }),
    );
    expect(unsafePart(pattern)!.part).not.toBe('');
    expect(pattern.source).toContain(unsafePart(pattern)!.part);
  });

  test.each([
    [/ACME-\d{6}/],
    [/CUST_[A-Z0-9]{8,40}\b/],
    [/(?:[a-z]{1,20}-){1,4}\d+/],
    [/\bkey[:=] ?"[^"\n]*"/],
    [/(?<=id: )\d{4,12}/],
    [/[\p{L}]{2}\d{7}/u],
    [/(?:foo|bar|baz)-\w+/],
    [/key=[^&\n]{0,200}&/],
  ])('MASK-52: %s is accepted', (pattern) => {
    expect(unsafePart(pattern)).toBeUndefined();
  });

  test('MASK-52: unsafe skips the check, and then its time counts: over the budget the text is left out', () => {
    let now = 0;
    const clock = { now: () => 0, elapsed: () => now };
    const masker = rulesMasker([{ name: 'mine', pattern: /(a+)+$/, unsafe: true }], { clock });
    expect(masker.mask('xaa')).toBe('x[hidden:mine]');
    const slow = { now: () => 0, elapsed: () => (now += 200) };
    expect(() => rulesMasker([{ name: 'mine', pattern: /(a+)+$/, unsafe: true }], { clock: slow }).mask('aa')).toThrow(
      /mine took more than 250 ms/,
    );
  });
});

describe('what is allowed', () => {
  test('MASK-53: values that allow matches stay, and other values do not', () => {
    const masker = Masker.credentials({ allow: [/^demo-/] });
    expect(masker.mask('token=demo-123456 token=real-123456')).toBe('token=demo-123456 token=[hidden:credential]');
  });

  test('MASK-53: never bodies of private keys', () => {
    const block = fill('{D}BEGIN PRIVATE KEY{D}\n{B3}\n{D}END PRIVATE KEY{D}');
    expect(Masker.credentials({ allow: [/./] }).mask(block)).toBe('[hidden:private-key]\n\n\n\n');
  });

  test('MASK-52: its patterns are checked as well', () => {
    expect(() => Masker.credentials({ allow: [/(a+)+$/] })).toThrow(
      expect.objectContaining({ code: 'mask_rule_unsafe' }),
    );
    expect(() => Masker.credentials({ allow: ['x' as unknown as RegExp] })).toThrow(/allow\[0\]/);
  });

  test('MASK-1, MASK-53: options are in the fingerprint, and none are the plain masker', () => {
    const all = [
      {},
      { allow: [/a/] },
      { cards: true },
      { iban: true },
      { emails: true },
      { phones: true },
      { entropy: true },
    ];
    expect(new Set(all.map((options) => Masker.credentials(options).fingerprint)).size).toBe(all.length);
    expect(Masker.credentials({ cards: false }).fingerprint).toBe(Masker.credentials().fingerprint);
  });
});

describe('groups that are off by default', () => {
  const card = ['4111', '1111', '1111', '1111'].join(' ');
  const iban = ['DE89', '3704', '0044', '0532', '0130', '00'].join(' ');
  test.each([
    ['cards', `card ${card}.`, 'card [hidden:card].'],
    ['cards', 'order 4111111111111112 and 1234567890123', undefined],
    ['iban', `to ${iban}, please`, 'to [hidden:iban], please'],
    ['iban', 'DE00 3704 0044 0532 0130 00', undefined],
    ['emails', 'mail ann.b+c@example.co.uk now', 'mail [hidden:email] now'],
    ['emails', 'git@ and @scope/x and a@b', undefined],
    ['phones', 'call +49 30 1234567 or (555) 123-4567', 'call [hidden:phone] or [hidden:phone]'],
    ['phones', '2026-08-11 10.20.30.40 1.2.3', undefined],
    ['entropy', fill('sha512-{R64} x'), undefined],
    ['entropy', 'x aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA y', 'x [hidden:credential] y'],
    ['entropy', fill('{X40} is a commit'), undefined],
  ])('MASK-39, MASK-27 (%s): %s', (group, text, hidden) => {
    expect(Masker.credentials().mask(text)).toBe(text);
    expect(Masker.credentials({ [group]: true }).mask(text)).toBe(hidden ?? text);
  });

  test('MASK-27: padding does not dilute what is random', () => {
    const padded = `${'A'.repeat(64)}aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA${'A'.repeat(64)}`;
    expect(Masker.credentials({ entropy: true }).mask(padded)).toBe('[hidden:credential]');
  });
});
