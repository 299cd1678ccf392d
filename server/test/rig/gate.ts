import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatesOf, newFolder, rigFolder } from './children.ts';

/** What commands and apps of a deployment wait for. */
export interface Gate {
  /** A file, or an address that answers well once it is open. */
  at: string;
  /** A shell command that ends when the gate is open. */
  wait: string;
  open(): void;
  close(): void;
  /** Whether somebody waits at it, where that can be seen. */
  isReached?: () => boolean;
}

/** Apps of a service that root runs have a /tmp of their own and see nothing of ours. */
function gateFolder(): string {
  if (process.getuid?.() !== 0) return newFolder('gate');
  const folder = mkdtempSync(join(gatesOf(rigFolder()), 'gate-'));
  return folder;
}

/** A file, for whatever user they run as. */
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
