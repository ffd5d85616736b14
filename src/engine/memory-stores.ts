// Which backend keeps agents' memory: SQLite files under the home, or PostgreSQL where memory.postgres names it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../config/index.ts';
import type { MemoryStores } from '../store/memory.ts';
import { openPostgresMemories } from '../store/postgres/memory-set.ts';
import { openSqliteMemories } from '../store/sqlite/memory-set.ts';

export type MemoryPlace = Pick<ResolvedConfig, 'home' | 'busyTimeoutMs' | 'memory'>;

/** Opens no file and no connection. */
export function openMemories({ home, busyTimeoutMs, memory }: MemoryPlace): MemoryStores {
  return memory.postgres === undefined
    ? openSqliteMemories({ folder: folderOf(home), busyTimeoutMs })
    : openPostgresMemories({ connection: memory.postgres, busyTimeoutMs });
}

/** Takes an agent's memory away, of which nobody has a store open. */
export async function dropMemory({ home, busyTimeoutMs, memory }: MemoryPlace, agentId: string): Promise<void> {
  if (memory.postgres === undefined) {
    for (const end of ['', '-wal', '-shm']) rmSync(join(folderOf(home), `${agentId}.sqlite${end}`), { force: true });
    return;
  }
  const stores = openPostgresMemories({ connection: memory.postgres, busyTimeoutMs });
  try {
    await stores.drop(agentId);
  } finally {
    await stores.close();
  }
}

function folderOf(home: string): string {
  return join(home, 'memory');
}
