import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { filesNeededBy } from './elf.ts';

describe('dependencies of a program', () => {
  it.each([process.execPath, '/usr/bin/git', '/usr/bin/env'])('match the output of ldd for %s', (program) => {
    const said = execFileSync('ldd', [program], { encoding: 'utf8' })
      .split('\n')
      .flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
    const names = (paths: string[]) =>
      paths.map((path) => path.split('/').at(-1)!).toSorted((a, b) => (a < b ? -1 : 1));
    expect(names(filesNeededBy(program))).toEqual(names(said));
  });

  it('cannot be read from a file that is not an ELF program', () => {
    const text = join(newFolder('program'), 'text');
    writeFileSync(text, '#!/bin/sh\n');
    expect(() => filesNeededBy(text)).toThrow('not a Linux program');
  });
});
