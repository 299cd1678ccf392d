import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './children.ts';

/** A file that commands and apps of a deployment wait for, whatever user they run as. */
export interface Gate {
  file: string;
  /** A shell command that ends when the gate is open. */
  wait: string;
  open(): void;
  close(): void;
}

export function newGate(): Gate {
  const folder = newFolder('gate');
  chmodSync(folder, 0o755);
  const file = join(folder, 'open');
  return {
    file,
    wait: `until [ -e ${file} ]; do sleep 0.05; done`,
    open: () => writeFileSync(file, '', { mode: 0o644 }),
    close: () => rmSync(file, { force: true }),
  };
}
