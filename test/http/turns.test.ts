// First come, first served, few at once, and none lost by an error (SUR-40).
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from '../../src/http/turns.ts';

test('SUR-40: fifty at once are served in the order they came, at most four together, whatever some of them throw', async () => {
  const turns = new Turns();
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const one = (n: number): Promise<number> =>
    turns.take(async () => {
      begun.push(n);
      most = Math.max(most, ++running);
      await sleep(1);
      running--;
      if (n % 7 === 3) throw new Error(`of ${n}`);
      return n;
    });
  const numbers = Array.from({ length: 50 }, (_, n) => n);
  const ended = await Promise.allSettled(numbers.map(one));
  expect(begun).toEqual(numbers);
  expect(most).toBe(4);
  for (const [n, result] of ended.entries()) {
    expect(result).toMatchObject(n % 7 === 3 ? { status: 'rejected' } : { status: 'fulfilled', value: n });
  }
  expect(await one(1)).toBe(1);
});
