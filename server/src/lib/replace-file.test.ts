import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';
import { replaceFile } from './replace-file.ts';

describe('replaceFile', () => {
  it('replaces the content and sets the mode', () => {
    const path = join(newFolder('replace'), 'file');
    replaceFile(path, 'one');
    replaceFile(path, 'two', 0o644);
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  it('keeps the previous file if only a part of the content can be written', () => {
    const folder = newFolder('replace');
    const path = join(folder, 'file');
    writeFileSync(path, 'before');
    const script = `import { replaceFile } from ${JSON.stringify(join(import.meta.dirname, 'replace-file.ts'))};
      replaceFile(${JSON.stringify(path)}, 'x'.repeat(10_000));`;
    // A limit of the file size cuts a write short, as a disk does that is almost full.
    const args = ['-c', 'ulimit -f 4; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script];
    const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
    expect(stderr).toContain('EFBIG');
    expect(status).toBe(1);
    expect(readFileSync(path, 'utf8')).toBe('before');
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
