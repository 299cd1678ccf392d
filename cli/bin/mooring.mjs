#!/usr/bin/env node
// Runs the built command. It uses nothing that an old Node lacks, so that an old Node learns what is wrong.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const program = new URL('../dist/main.js', import.meta.url);

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) fail(`needs Node 20.19 or newer; this is ${process.version}`);
if (!existsSync(program))
  fail(`not built yet; run: npm run build (in ${fileURLToPath(new URL('../..', import.meta.url))})`);
await import(program.href);

function fail(sentence) {
  process.stderr.write(`mooring: ${sentence}\n`);
  process.exit(1);
}
