// Whether a search works, by doing one (SUR-40). Says nothing of what there is.
import type { Backstory } from '../api/face.ts';

export async function isHealthy(backstory: Backstory): Promise<boolean> {
  try {
    await backstory.sessions.search({ operator: true }, { query: 'health', limit: 1, waitMs: 0 });
    return true;
  } catch {
    return false;
  }
}
