import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './children.ts';

export interface Untouched {
  /** Runs a program inside: `[...under, file, ...args]`. */
  under: string[];
  /** Every file written, created or removed outside the given folders. */
  changes(): string[];
}

/** An overlay of the whole machine: the program sees everything, but only its writes to `real` persist. The mounts
 * are in the program's own namespace and end with it. */
export function untouchedMachine(real: string[]): Untouched {
  const folder = newFolder('untouched');
  for (const name of ['written', 'work', 'machine']) mkdirSync(join(folder, name));
  const script = join(folder, 'enter');
  const machine = join(folder, 'machine');
  writeFileSync(
    script,
    `set -e
mount -t overlay overlay -o "lowerdir=/,upperdir=${folder}/written,workdir=${folder}/work" "${machine}"
for each in /proc /dev /sys; do mount --rbind "$each" "${machine}$each"; done
${real.map((each) => `mount --bind "${each}" "${machine}${each}"`).join('\n')}
exec chroot "${machine}" "$@"
`,
  );
  return {
    under: ['unshare', '--mount', '--propagation', 'private', '/bin/sh', script],
    changes: () =>
      execFileSync('find', [join(folder, 'written'), '-mindepth', '1', '-printf', '%P\n'], { encoding: 'utf8' })
        .split('\n')
        .filter(Boolean),
  };
}
