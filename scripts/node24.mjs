// Finds the Node 24 among the dependencies, or falls back to the running one.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

const [major, minor] = process.versions.node.split('.').map(Number);
const isNewEnough = major > 24 || (major === 24 && minor >= 7);

export function findNode24() {
  const brought = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(brought)) return brought;
  if (isNewEnough) return process.execPath;
  throw new Error(
    `Mooring runs on Node 24.7 or newer. It comes along on Linux (x64 and arm64); on ${process.platform} ${process.arch} ` +
      `install it yourself and start again with it (this is ${process.version}).`,
  );
}
