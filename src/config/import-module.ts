// Loads a module of somebody else's by its address. A file of its own: in the bundle, which is a script, the launcher's
// own import stands here (scripts/bundle-cli.mjs), since a cached script has none without a warning.
export function importModule(url: string): Promise<unknown> {
  return import(url);
}
