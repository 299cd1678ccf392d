import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './children.ts';

export interface Untouched {
  /** Runs a program in there: `[...under, file, ...args]`. */
  under: string[];
  /** Every file that was written, made or removed outside of the folders that were given. */
  changes(): string[];
}

/** The whole machine as it is, for a program that sees and writes it all, but whose writes go elsewhere: only those to
 * `real` are real. The mounts are in a namespace of the program's own and end with it. */
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
