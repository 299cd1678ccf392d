import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderOutside, newFolder, rigFolder } from './children.ts';

/** Blocks the commands and apps of a deployment until it is opened. */
export interface Gate {
  /** A file, or a URL that responds with success once the gate is open. */
  at: string;
  /** A shell command that ends when the gate is open. */
  wait: string;
  open(): void;
  close(): void;
  /** Whether something waits at the gate, if that can be observed. */
  isReached?: () => boolean;
}

/** Apps of a service that root runs have a private /tmp. */
function gateFolder(): string {
  if (process.getuid?.() !== 0) return newFolder('gate');
  const folder = mkdtempSync(join(folderOutside('gates', rigFolder()), 'gate-'));
  return folder;
}

/** A file that every user can read. */
export function newGate(): Gate & { file: string } {
  const folder = gateFolder();
  chmodSync(folder, 0o755);
  const file = join(folder, 'open');
  return {
    file,
    at: file,
    wait: `until [ -e ${file} ]; do sleep 0.05; done`,
    open: () => writeFileSync(file, '', { mode: 0o644 }),
    close: () => rmSync(file, { force: true }),
  };
}
