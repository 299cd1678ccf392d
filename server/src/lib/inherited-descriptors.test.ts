import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';

it('closes inherited descriptors, so that no child process gets them', () => {
  const file = join(newFolder('descriptors'), 'program.ts');
  const look = `execFileSync('ls', ['/proc/self/fd'], { encoding: 'utf8' }).split('\\n').includes('200')`;
  writeFileSync(
    file,
    `import { execFileSync } from 'node:child_process';
     import { closeInheritedDescriptors } from ${JSON.stringify(join(import.meta.dirname, 'inherited-descriptors.ts'))};
     const before = ${look};
     closeInheritedDescriptors();
     console.log(before, ${look}, (await fetch('data:,works')).ok);`,
  );
  const script = 'exec 200< /etc/passwd; exec "$0" "$1"';
  expect(execFileSync('/bin/bash', ['-c', script, process.execPath, file], { encoding: 'utf8' })).toBe(
    'true false true\n',
  );
});
