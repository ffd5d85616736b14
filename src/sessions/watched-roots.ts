// The trees that a follow watches, one per root and linked folder. Learns from the plans of syncs where they are (SRC-48).
import type { Instance, Plan, Source } from '../sources/contract.ts';
import { WatchedTree, type WatchedTreeOptions } from './watched-tree.ts';

export interface WatchedRootsOptions extends Omit<WatchedTreeOptions, 'base' | 'whole' | 'onChange'> {
  readonly onChange: (source: string) => void;
}

interface Watched {
  readonly source: string;
  readonly root: string;
  readonly tree: WatchedTree;
}

export class WatchedRoots {
  readonly #options: WatchedRootsOptions;
  readonly #trees = new Map<string, Watched>();
  #again = new Set<WatchedTree>();
  #closed = false;

  constructor(options: WatchedRootsOptions) {
    this.#options = options;
  }

  get counts(): { readonly folders: number; readonly polled: number } {
    let folders = 0;
    let polled = 0;
    for (const { tree } of this.#trees.values()) {
      folders += tree.folders;
      polled += tree.polled;
    }
    return { folders, polled };
  }

  /** The source as it is; what it finds and plans is watched from then on, before anything of it is read. */
  overhear(source: Source): Source {
    return {
      name: source.name,
      title: source.title,
      version: source.version,
      agentId: source.agentId,
      branches: source.branches,
      discover: async (host, given) => {
        const found = await source.discover(host, given);
        this.#leave(
          source.name,
          found.flatMap((root) => ('instance' in root ? [root.instance.root] : [])),
        );
        return found;
      },
      plan: async (instance) => {
        const plan = await source.plan(instance);
        await this.#watch(instance, plan);
        return plan;
      },
      read: (instance, file, options, out) => source.read(instance, file, options, out),
      reopen: (absolute, pointer, roots, openDatabase) => source.reopen(absolute, pointer, roots, openDatabase),
    };
  }

  /** Every tree looks for folders anew at its next plan. */
  walkAgain(): void {
    this.#again = new Set([...this.#trees.values()].map(({ tree }) => tree));
  }

  /** Looks at what cannot be watched. */
  async poll(): Promise<void> {
    for (const { tree } of this.#trees.values()) await tree.poll();
  }

  close(): void {
    this.#closed = true;
    for (const { tree } of this.#trees.values()) tree.close();
    this.#trees.clear();
  }

  async #watch({ source, root }: Instance, { files }: Plan): Promise<void> {
    const bases = new Map<string, Set<string>>([[root, new Set()]]);
    for (const { path, linked } of files) {
      if (linked === undefined) bases.get(root)!.add(path.includes('/') ? path.slice(0, path.indexOf('/')) : '');
      else if (!bases.has(linked)) bases.set(linked, new Set());
    }
    for (const [base, parts] of bases) {
      if (this.#closed) return;
      const key = `${source}\n${base}`;
      const watched = this.#trees.get(key) ?? { source, root, tree: this.#treeAt(base, base !== root, source) };
      this.#trees.set(key, watched);
      await watched.tree.grow(parts, this.#again.delete(watched.tree));
    }
  }

  #treeAt(base: string, whole: boolean, source: string): WatchedTree {
    return new WatchedTree({ ...this.#options, base, whole, onChange: () => this.#options.onChange(source) });
  }

  // Roots that are no longer found; when they come again they are other folders.
  #leave(source: string, roots: readonly string[]): void {
    for (const [key, watched] of this.#trees) {
      if (watched.source !== source || roots.includes(watched.root)) continue;
      watched.tree.close();
      this.#trees.delete(key);
    }
  }
}
