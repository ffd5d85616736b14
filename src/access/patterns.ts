// Patterns of agent ids: an id in which `*` stands for any run of characters (VIS-12). Knows no setting.

/** True when the whole id fits the pattern. Letter case is ignored; one pass over the id, whatever the pattern. */
export function fitsPattern(pattern: string, agentId: string): boolean {
  const id = agentId.toLowerCase();
  const parts = pattern.toLowerCase().split('*');
  const [first, last] = [parts[0]!, parts.at(-1)!];
  if (parts.length === 1) return id === first;
  if (id.length < first.length + last.length || !id.startsWith(first) || !id.endsWith(last)) return false;
  const end = id.length - last.length;
  let from = first.length;
  // The leftmost place is always right: what follows can only be looked for further right.
  for (const part of parts.slice(1, -1)) {
    const found = id.indexOf(part, from);
    if (found < 0 || found + part.length > end) return false;
    from = found + part.length;
  }
  return true;
}

export function fitsAny(patterns: readonly string[], agentId: string): boolean {
  return patterns.some((pattern) => fitsPattern(pattern, agentId));
}
