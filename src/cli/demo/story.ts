// The made-up history of `backstory demo`: three agents build a small lamp shop. Text only; how each agent writes it to disk
// is the affair of the files beside this one.

export type Turn =
  | { readonly who: 'user' | 'assistant'; readonly text: string }
  | {
      readonly who: 'tool';
      readonly name: string;
      readonly input: Readonly<Record<string, string>>;
      readonly output: string;
    }
  | { readonly who: 'compaction'; readonly text: string };

export interface Chapter {
  readonly agent: 'claude-code' | 'codex' | 'openclaw';
  readonly title: string;
  /** Days before today. */
  readonly daysAgo: number;
  readonly hour: number;
  readonly turns: readonly Turn[];
}

const user = (text: string): Turn => ({ who: 'user', text });
const agent = (text: string): Turn => ({ who: 'assistant', text });
const tool = (name: string, input: Readonly<Record<string, string>>, output: string): Turn => ({
  who: 'tool',
  name,
  input,
  output,
});
const shell = (command: string, output: string): Turn => tool('Bash', { command }, output);
// A key that no service ever issued; in parts, so that no scanner takes this file for a leak.
const FAKE_KEY = `sk_${'test'}_${'4eC39HqLyjWDarjtT1zdp7dc'}`;

export const STORY: readonly Chapter[] = [
  {
    agent: 'claude-code',
    title: 'Why checkout is slow',
    daysAgo: 19,
    hour: 9,
    turns: [
      user('Why is checkout slow? It takes four seconds since we imported the old orders.'),
      agent('I will look at the query plan of the order lookup first.'),
      shell(
        "psql -c 'EXPLAIN ANALYZE SELECT * FROM orders WHERE customer_id = 42'",
        'Seq Scan on orders (rows=182044) 3911 ms',
      ),
      agent(
        'The lookup scans all 182 044 orders: `orders.customer_id` has no index. Adding one should bring it below 5 ms.',
      ),
      user('Do it, without locking the table.'),
      shell('psql -c "CREATE INDEX CONCURRENTLY orders_customer_idx ON orders (customer_id)"', 'CREATE INDEX'),
      agent('Done: CREATE INDEX CONCURRENTLY. The same query takes 2 ms now, and checkout 310 ms in all.'),
    ],
  },
  {
    agent: 'codex',
    title: 'Rounding in invoices',
    daysAgo: 17,
    hour: 14,
    turns: [
      user('Invoices are off by one cent for some customers. Find out why.'),
      tool('exec_command', { cmd: "grep -rn 'toFixed' src/invoice" }, 'src/invoice/total.ts:31: return sum.toFixed(2)'),
      agent(
        'The tax is rounded per line with toFixed and then summed. Three lines of 0.335 give 1.02 in place of 1.01.',
      ),
      user('Keep integer cents and round once, half to even.'),
      agent(
        'Invoice totals are integer cents now, rounded once at the end. The 14 wrong invoices of March are in invoices-fixed.csv.',
      ),
    ],
  },
  {
    agent: 'openclaw',
    title: 'Newsletter on Friday',
    daysAgo: 15,
    hour: 8,
    turns: [
      user('Remind me on Friday to send the newsletter about the brass lamps.'),
      tool('calendar', { day: 'friday', text: 'newsletter: brass lamps' }, 'created 09:00'),
      agent('Noted: Friday 09:00, newsletter about the brass lamps.'),
      user('And who asked for the supplier list last week?'),
      agent('Marta did, by mail. You wanted to answer after the stock count.'),
    ],
  },
  {
    agent: 'claude-code',
    title: 'Two people buy the last lamp',
    daysAgo: 13,
    hour: 16,
    turns: [
      user('Two customers bought the last lamp at the same time. How can stock go to -1?'),
      agent(
        'The stock is read, compared and written in three statements. Between reading and writing another request gets in: a race condition.',
      ),
      shell(
        "sed -n '12,20p' src/stock.ts",
        'const left = await stockOf(id)\nif (left > 0) await setStock(id, left - 1)',
      ),
      agent(
        'I replaced it by one statement: UPDATE stock SET amount = amount - 1 WHERE id = $1 AND amount > 0. No row changed means sold out.',
      ),
      user('Write a test that fails with the old code.'),
      agent(
        'The test starts 50 purchases of the last lamp at once and expects exactly one to succeed. It failed 9 of 10 times before.',
      ),
    ],
  },
  {
    agent: 'codex',
    title: 'Rate limit of the payment provider',
    daysAgo: 11,
    hour: 11,
    turns: [
      user('The payment provider answers 429 in the evening. What is our rate limit?'),
      tool('exec_command', { cmd: "grep -c ' 429 ' logs/payments.log" }, '318'),
      agent(
        '25 requests per second. The nightly export sends 60 in parallel. I added a queue with a rate limit of 20 and retry with jitter.',
      ),
      user(`Here is the test key for the sandbox: ${FAKE_KEY}`),
      agent(
        'Thanks. It goes into the environment, not into the repository. Please rotate it anyway: it stands in this transcript now.',
      ),
    ],
  },
  {
    agent: 'claude-code',
    title: 'Café lamps cannot be found',
    daysAgo: 9,
    hour: 10,
    turns: [
      user('Searching the shop for "cafe" does not find the Café lamp.'),
      agent(
        'The search compares bytes. é may be one code point or two, and neither is e. I will fold accents on both sides.',
      ),
      shell('npm test -- search', '18 passed'),
      agent('cafe, café and CAFÉ all find the Café lamp now. München and Straße work as well.'),
    ],
  },
  {
    agent: 'claude-code',
    title: 'Rollback of release 41',
    daysAgo: 7,
    hour: 18,
    turns: [
      user('Release 41 broke the login of shop staff. Roll back.'),
      shell('deploy rollback 40', 'release 40 is live'),
      agent(
        'Release 40 is live again since 18:06. The cause: the session cookie got SameSite=Strict, and staff come from the intranet link.',
      ),
      {
        who: 'compaction',
        text: 'Release 41 was rolled back to 40 because SameSite=Strict broke staff login. Next: SameSite=Lax and a test.',
      },
      user('Fix it forward as 42.'),
      agent(
        'Release 42 sets SameSite=Lax for staff. I wrote down the rollback in docs/runbook.md: deploy rollback, check login, tell Marta.',
      ),
    ],
  },
  {
    agent: 'codex',
    title: 'Draft of the rollback guide',
    daysAgo: 6,
    hour: 9,
    turns: [
      user('Make a draft of the rollback guide for new staff.'),
      agent(
        'Draft: 1. deploy rollback <number> 2. check login 3. tell the shop. It is a draft until somebody has tried it.',
      ),
    ],
  },
  {
    agent: 'openclaw',
    title: 'Backup of the shop database',
    daysAgo: 5,
    hour: 7,
    turns: [
      user('Did the backup run last night?'),
      tool('shell', { command: 'ls -lh /backup | tail -1' }, '2.1G shop-nightly.dump'),
      agent('Yes, at 02:10, 2.1 GB. The restore test is from three weeks ago; shall I plan one?'),
      user('Plan the restore test for Sunday.'),
      agent('Planned: Sunday 06:00, restore into shop_restore and compare the number of orders.'),
    ],
  },
  {
    agent: 'claude-code',
    title: 'Coupons that never end',
    daysAgo: 3,
    hour: 13,
    turns: [
      user('The coupon SPRING10 still works although it ended in May.'),
      agent(
        'ends_at has no time zone and is compared in UTC, but that is only two hours. The real cause: the check was behind a feature flag that is off.',
      ),
      agent('The check is always on now. 23 orders used SPRING10 after its end; the list is in coupons-late.csv.'),
    ],
  },
  {
    agent: 'codex',
    title: 'Speed up the tests',
    daysAgo: 2,
    hour: 15,
    turns: [
      user('The tests take nine minutes. Speed them up.'),
      tool('exec_command', { cmd: 'npm test -- --reporter=json' }, '412 passed in 541 s'),
      agent(
        'Most of it is a new database per test. With a template database and a transaction per test it is 74 seconds.',
      ),
    ],
  },
  {
    agent: 'claude-code',
    title: 'Checkout once more',
    daysAgo: 0,
    hour: 0,
    turns: [
      user('Checkout is slow again, but only with a coupon.'),
      agent(
        'The coupon lookup is not cached: three queries per line of the cart. I will load all coupons of a cart in one query.',
      ),
      shell('npm run bench -- checkout', 'checkout with coupon: 1840 ms -> 240 ms'),
      agent('Checkout with a coupon takes 240 ms now. The index on customer_id from the first time is still used.'),
    ],
  },
];
