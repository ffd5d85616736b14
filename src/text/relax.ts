// A query that found nothing, loosened in stages that are named (TXT-39). Exclusions and OR stay.
import { type Clause, made, type ParsedQuery, type Stage, type Term } from './query.ts';
import type { QueryToken } from './query-tokens.ts';

const MIN_PREFIX = 3;
// A pasted page is hundreds of words: the longest, which are the rarest, stand for it.
const MAX_WORDS = 64;

/** The query at a stage, or undefined where the stage changes nothing. Only mode `all` is loosened. */
export function relax(query: ParsedQuery, stage: Stage): ParsedQuery | undefined {
  if (query.mode !== 'all') return undefined;
  if (stage === 'prefix') return withPrefix(query);
  const words = asWords(query);
  if (stage === 'words') return words;
  const base = words ?? query;
  return base.clauses.length < 2 ? undefined : made({ ...base, clauses: longest(base.clauses), stage: 'some' });
}

// The last word begins a longer one.
function withPrefix(query: ParsedQuery): ParsedQuery | undefined {
  const last = query.clauses.at(-1);
  const term = last?.anyOf.length === 1 ? last.anyOf[0] : undefined;
  const token = term?.tokens.at(-1);
  if (!term || !token || token.prefix || token.cut || token.joined || token.text.length < MIN_PREFIX) return undefined;
  if (token.text.includes(':')) return undefined;
  const loosened = { ...term, tokens: [...term.tokens.slice(0, -1), { ...token, prefix: true }] };
  return made({ ...query, clauses: [...query.clauses.slice(0, -1), { anyOf: [loosened] }], stage: 'prefix' });
}

// Phrases and literals become their words; a run of a script without spaces is one word.
function asWords(query: ParsedQuery): ParsedQuery | undefined {
  let changed = false;
  // A pasted line repeats its words: each is looked for once.
  const known = new Set<string>();
  const clauses: Clause[] = [];
  for (const clause of query.clauses) {
    const [term] = clause.anyOf;
    const words = term && clause.anyOf.length === 1 ? wordsOf(term) : [];
    if (words.length < 2) clauses.push(clause);
    else {
      changed = true;
      for (const word of words) {
        const name = word.tokens.map((token) => `${token.text}${token.prefix ? '*' : ''}`).join(' ');
        if (known.has(name)) continue;
        known.add(name);
        clauses.push({ anyOf: [word] });
      }
    }
  }
  return changed ? made({ ...query, clauses: longest(clauses), stage: 'words' }) : undefined;
}

function longest(clauses: readonly Clause[]): readonly Clause[] {
  if (clauses.length <= MAX_WORDS) return clauses;
  const lengthOf = (index: number): number => Math.max(...clauses[index]!.anyOf.map(({ typed }) => typed.length));
  const kept = clauses.map((_, index) => index).sort((a, b) => lengthOf(b) - lengthOf(a) || a - b);
  return kept
    .slice(0, MAX_WORDS)
    .sort((a, b) => a - b)
    .map((index) => clauses[index]!);
}

function wordsOf(term: Term): Term[] {
  const words: QueryToken[][] = [];
  for (const token of term.tokens) {
    if (token.joined && words.length > 0) words.at(-1)!.push(token);
    else words.push([token]);
  }
  return words.map((tokens) => ({ typed: tokens.map((token) => token.text).join(''), kind: 'word', tokens }));
}
