// The version of this package, read from package.json beside dist/ or src/, however deep this module ends up in a bundle.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export function version(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === 'backstory') {
        return 'version' in manifest ? String(manifest.version) : 'unknown';
      }
    } catch {
      // Not here: one folder up.
    }
  }
  return 'unknown';
}
