import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';
import { lockFile } from './lock-file.ts';

describe('lock file', () => {
  const taken = () => new Error('taken');

  it('is accessible to its owner only, also one of an earlier version', () => {
    const folder = newFolder('locks');
    for (const name of ['new.lock', 'old.lock']) {
      const path = join(folder, name);
      if (name === 'old.lock') writeFileSync(path, '', { mode: 0o644 });
      lockFile(path, taken).release();
      expect(statSync(path).mode & 0o777, name).toBe(0o600);
    }
  });

  it('does not follow a symlink', () => {
    const [folder, other] = [newFolder('locks'), join(newFolder('others'), 'file')];
    writeFileSync(other, '', { mode: 0o644 });
    for (const target of [other, '/nonexistent']) {
      const path = join(folder, 'link.lock');
      symlinkSync(target, path);
      expect(() => lockFile(path, taken)).toThrow(`${path} is not a plain file; delete it`);
      rmSync(path);
    }
    expect(statSync(other).mode & 0o777).toBe(0o644);
  });

  it('stays held when the same process requests it again', () => {
    const path = join(newFolder('locks'), 'held.lock');
    const lock = lockFile(path, taken);
    expect(() => lockFile(path, taken)).toThrow('taken');
    chmodSync(path, 0o644);
    expect(() => lockFile(path, taken)).toThrow('taken');
    const script = `import { lockFile } from ${JSON.stringify(join(import.meta.dirname, 'lock-file.ts'))};
      lockFile(${JSON.stringify(path)}, () => new Error('taken'));`;
    const other = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(other.stderr).toContain('taken');
    lock.release();
  });
});
