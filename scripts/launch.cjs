#!/usr/bin/env node
// Starts the command line with V8's code cache: compiling the bundle anew, and then each function at its first call, is a
// quarter of a search's time (75 of 300 ms). The cache lies beside the bundle, made by the first run there; where nothing
// may be written the command starts without it. Copied to dist/cli/main.js by bundle-cli.mjs.
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

// Its name has a digest of its content: V8 tells one source from another by length alone.
const bundle = join(__dirname, 'BUNDLE');
const cache = `${bundle}.${process.version}-${process.arch}.cache`;

let cachedData;
try {
  cachedData = readFileSync(cache);
} catch {
  // The first run.
}
const script = new Script(wrap(readFileSync(bundle, 'utf8')), {
  filename: bundle,
  cachedData,
});
// At the end, when the functions that a command needs are compiled.
if (cachedData === undefined || script.cachedDataRejected) process.once('exit', keep);
const main = { exports: {}, load: (url) => import(url) };
script.runInThisContext()(main.exports, createRequire(bundle), main, bundle, __dirname);

function keep() {
  try {
    const beside = `${cache}.${process.pid}`;
    writeFileSync(beside, script.createCachedData());
    renameSync(beside, cache);
  } catch {
    // A folder that may not be written.
  }
}
