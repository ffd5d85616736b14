// One reply written as several records: equal blocks are dropped, a text that grows replaces what it was (SRC-24).
import { hash } from 'node:crypto';

interface Group {
  readonly id: string;
  /** The message whose only block is the group's last text: its id, the text's length and digest. */
  last?: { message: string; length: number; digest: string };
  blocks: string[];
}

const OPEN = 4;
const MAX_BLOCKS = 64;

export type Verdict = { readonly kind: 'new' | 'equal' } | { readonly kind: 'grown'; readonly message: string };

/** The groups that are still open, newest last. */
export class Groups {
  #groups: Group[];

  constructor(saved: unknown) {
    this.#groups = Array.isArray(saved) ? (saved as Group[]) : [];
  }

  /** Judges a block of the reply `group`. `text`: of a text block; `name`: what makes any other block itself. */
  judge(
    group: string,
    message: string,
    block: { readonly text?: string; readonly name: string; readonly alone: boolean },
  ): Verdict {
    const open = this.#open(group);
    const { text } = block;
    const digest = digestOf(text ?? block.name);
    const name = text === undefined ? digest : `text ${digest}`;
    if (open.blocks.includes(name)) return { kind: 'equal' };
    if (open.blocks.length < MAX_BLOCKS) open.blocks.push(name);
    if (text === undefined) return { kind: 'new' };
    const { last } = open;
    const grows =
      last && last.length > 0 && text.length > last.length && digestOf(text.slice(0, last.length)) === last.digest;
    const kept = grows ? last.message : message;
    if (block.alone) open.last = { message: kept, length: text.length, digest };
    else delete open.last;
    return grows && block.alone ? { kind: 'grown', message: kept } : { kind: 'new' };
  }

  save(): unknown {
    return this.#groups;
  }

  #open(id: string): Group {
    const known = this.#groups.find((group) => group.id === id);
    if (known) return known;
    const group: Group = { id, blocks: [] };
    this.#groups.push(group);
    if (this.#groups.length > OPEN) this.#groups.shift();
    return group;
  }
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64').slice(0, 16);
}
