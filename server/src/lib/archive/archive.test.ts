import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../test/rig/children.ts';
import {
  sampleArchive,
  paxEntry,
  type Sample,
  withTarChecksum,
  sampleTar,
  tarEntry,
  tarHeader,
} from './sample-archives-rig.ts';
import { ArchiveError, archiveLimits, checkArchive, extractArchive } from './archive.ts';

let outer: string;
let folder: string;
beforeEach(() => {
  outer = newFolder('archive');
  folder = join(outer, 'inside');
  // Must stay untouched, and is a way out that must not be taken.
  mkdirSync(join(outer, 'sentinel'));
  writeFileSync(join(outer, 'sentinel', 'secret'), 'untouched');
});

const streamOf = (bytes: Buffer) => Readable.from([bytes]);
const extract = (bytes: Buffer, limits = archiveLimits) => extractArchive(streamOf(bytes), folder, limits);
const listed = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted();

/** Checking and unpacking reject with the same message, leave nothing behind and write nothing outside. */
async function refused(bytes: Buffer, words: RegExp, limits = archiveLimits): Promise<void> {
  const checked = await checkArchive(streamOf(bytes), limits).catch((error: unknown) => error);
  expect(checked).toBeInstanceOf(ArchiveError);
  expect((checked as Error).message).toMatch(words);
  const extracted = await extract(bytes, limits).catch((error: unknown) => error);
  expect(extracted).toBeInstanceOf(ArchiveError);
  expect((extracted as Error).message).toBe((checked as Error).message);
  expectUntouched();
  expect(readdirSync(folder)).toEqual([]);
}

function expectUntouched(): void {
  expect(readdirSync(outer).toSorted()).toEqual(['inside', 'sentinel']);
  expect(listed(join(outer, 'sentinel'))).toEqual(['secret']);
  expect(readFileSync(join(outer, 'sentinel', 'secret'), 'utf8')).toBe('untouched');
}

describe('archive', () => {
  it('is unpacked as it is, including a single top folder', async () => {
    const summary = await extract(
      sampleArchive(
        { name: './app/', type: '5' },
        { name: './app/index.js', content: 'hello' },
        { name: 'app/run.sh', content: '#!', mode: 0o755 },
        { name: 'app/deep/er/file', content: Buffer.alloc(100_000, 'x') },
        { name: 'app/link', type: '2', link: 'deep/er/../er/file' },
        { name: 'app/again', type: '1', link: 'app/index.js' },
      ),
    );
    expect(listed(folder)).toEqual([
      'app',
      'app/again',
      'app/deep',
      'app/deep/er',
      'app/deep/er/file',
      'app/index.js',
      'app/link',
      'app/run.sh',
    ]);
    expect(readFileSync(join(folder, 'app/again'), 'utf8')).toBe('hello');
    expect(readFileSync(join(folder, 'app/link')).length).toBe(100_000);
    expect(lstatSync(join(folder, 'app/run.sh')).mode & 0o7777).toBe(0o755);
    expect(lstatSync(join(folder, 'app/index.js')).mode & 0o7777).toBe(0o644);
    expect(summary).toEqual({ files: 5, bytes: 100_012 });
  });

  it.each(['gnu', 'posix', 'ustar', 'v7'])('of the tar program is read: %s', async (format) => {
    const source = newFolder('packed');
    const long = format === 'v7' ? 'short' : join(...Array.from({ length: 4 }, () => 'd'.repeat(20)), 'ü'.repeat(30));
    const longer = format === 'gnu' || format === 'posix' ? join(long, 'n'.repeat(200)) : long;
    mkdirSync(join(source, longer), { recursive: true });
    writeFileSync(join(source, longer, 'file'), 'content');
    symlinkSync(format === 'v7' ? 'short' : longer.slice(0, format === 'ustar' ? 20 : 3000), join(source, 'link'));
    const packed = execFileSync('tar', ['-c', `--format=${format}`, '-z', '-C', source, '.']);
    await extract(packed);
    expect(listed(folder)).toEqual(listed(source));
    expect(readFileSync(join(folder, longer, 'file'), 'utf8')).toBe('content');
    expect(readlinkSync(join(folder, 'link'))).toBe(readlinkSync(join(source, 'link')));
  });

  it("may begin with a global header, as git's do", async () => {
    await extract(sampleArchive(paxEntry({ comment: 'a'.repeat(40) }, 'g'), { name: 'a', content: 'x' }));
    expect(listed(folder)).toEqual(['a']);
  });

  it('may hold a file twice: the later one counts', async () => {
    await extract(
      sampleArchive(
        { name: 'a', content: 'old' },
        { name: 'b', type: '1', link: 'a' },
        { name: './a', content: 'new' },
      ),
    );
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new');
    expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('old');
  });

  it('loses entries that macOS and git add', async () => {
    const extra = ['.git/config', 'x/.git/HEAD', '.git', '__MACOSX/x', '._a', 'x/._b'];
    await extract(sampleArchive(...extra.map((name) => ({ name, content: 'no' })), { name: 'x/.gitignore' }));
    expect(listed(folder)).toEqual(['x', 'x/.gitignore']);
  });

  it('loses its owner and all mode bits but the executable one', async () => {
    await extract(sampleArchive({ name: 'a', mode: 0o6777 }, { name: 'd/', type: '5', mode: 0o7777 }));
    expect(lstatSync(join(folder, 'a')).mode & 0o7777).toBe(0o755);
    expect(lstatSync(join(folder, 'd')).mode & 0o7777 & ~0o022).toBe(0o755);
    expect(lstatSync(join(folder, 'a')).uid).toBe(process.getuid!());
  });

  it('is unpacked into an empty folder only, so that no symlink can lie in wait', async () => {
    mkdirSync(folder);
    symlinkSync('../sentinel', join(folder, 'a'));
    await expect(extract(sampleArchive({ name: 'a/x', content: 'x' }))).rejects.toThrow('is not empty');
    expectUntouched();
  });
});

describe('archive is rejected', () => {
  const long = 'n'.repeat(256);
  const cases: [string, RegExp, (Sample | Buffer)[]][] = [
    ['with an absolute path', /absolute/, [{ name: '/tmp/x' }]],
    ['with an absolute path by pax', /absolute/, [paxEntry({ path: '/tmp/x' }), { name: 'a' }]],
    ['with ..', /\.\./, [{ name: '../sentinel/secret', content: 'x' }]],
    ['with .. in the middle', /\.\./, [{ name: 'a/../../sentinel/secret', content: 'x' }]],
    ['with .. that stays inside', /\.\./, [{ name: 'a/../b' }]],
    ['with .. by a GNU name', /\.\./, [{ name: 'L', type: 'L', content: '../sentinel/secret\0' }, { name: 'a' }]],
    ['with .. by the prefix', /\.\./, [{ name: 'sentinel/secret', prefix: '..', content: 'x' }]],
    ['with .. among what is skipped', /\.\./, [{ name: '.git/../../x' }]],
    ['with a drive letter', /drive letter/, [{ name: 'C:/x' }]],
    ['with backslashes', /backslash/, [{ name: '..\\sentinel\\x' }]],
    ['with a NUL in a name', /NUL/, [paxEntry({ path: 'a\0/../..' }), { name: 'a' }]],
    ['with a name that is too long', /too long/, [paxEntry({ path: long }), { name: 'a' }]],
    ['with a path that is too long', /too long/, [paxEntry({ path: 'd/'.repeat(2048) }), { name: 'a' }]],
    ['with a name that is not UTF-8', /UTF-8/, [rawName(Buffer.from([0xff, 0xfe]))]],
    ['with an absolute link', /leads outside/, [{ name: 'a', type: '2', link: '/etc' }]],
    ['with a link upwards', /leads outside/, [{ name: 'a', type: '2', link: '../sentinel' }]],
    ['with a link upwards from below', /leads outside/, [{ name: 'd/a', type: '2', link: 'x/../../../sentinel' }]],
    ['with an empty link', /leads outside/, [{ name: 'a', type: '2', link: '' }]],
    [
      'with a link that leads outside by way of another',
      /leads outside/,
      [
        { name: 'd/up', type: '2', link: '..' },
        { name: 'out', type: '2', link: 'd/up/..' },
      ],
    ],
    [
      'with a link that leads outside once a later one is there',
      /leads outside/,
      [
        { name: 'out', type: '2', link: 'd/e/../../sentinel' },
        { name: 'd/e', type: '2', link: '../.' },
      ],
    ],
    [
      'with links in a circle',
      /circular links/,
      [
        { name: 'a', type: '2', link: 'b' },
        { name: 'b', type: '2', link: 'a' },
      ],
    ],
    [
      'with a file written through a link',
      /goes through a link/,
      [
        { name: 'a', type: '2', link: '/etc' },
        { name: 'a/passwd', content: 'x' },
      ],
    ],
    [
      'with a file written through a link that stays inside',
      /goes through a link/,
      [
        { name: 'd/', type: '5' },
        { name: 'a', type: '2', link: 'd' },
        { name: './a//x', content: 'x' },
      ],
    ],
    [
      'with a folder replaced by a link',
      /two entries named/,
      [
        { name: 'a/', type: '5' },
        { name: 'a', type: '2', link: '../sentinel' },
        { name: 'a/secret', content: 'x' },
      ],
    ],
    [
      'with a file in place of a link',
      /two entries named/,
      [
        { name: 'a', type: '2', link: '../sentinel/secret' },
        { name: 'a', content: 'x' },
      ],
    ],
    ['with a file used as a folder', /as a folder/, [{ name: 'a', content: 'x' }, { name: 'a/b' }]],
    ['with a hard link outside', /\.\./, [{ name: 'a', type: '1', link: '../sentinel/secret' }]],
    ['with an absolute hard link', /absolute/, [{ name: 'a', type: '1', link: '/etc/passwd' }]],
    ['with a hard link to nothing', /hard link/, [{ name: 'a', type: '1', link: 'b' }]],
    [
      'with a hard link to a link',
      /hard link/,
      [
        { name: 'b', type: '2', link: 'c' },
        { name: 'a', type: '1', link: 'b' },
      ],
    ],
    ['with a character device', /device or a pipe/, [{ name: 'a', type: '3' }]],
    ['with a block device', /device or a pipe/, [{ name: 'a', type: '4' }]],
    ['with a pipe', /device or a pipe/, [{ name: 'a', type: '6' }]],
    ['with a sparse file', /unknown kind/, [{ name: 'a', type: 'S' }]],
    ['with a sparse file by pax', /sparse/, [paxEntry({ 'GNU.sparse.major': '1' }), { name: 'a' }]],
    ['with a root that is a link', /root of the archive is not a folder/, [{ name: './', type: '2', link: 'a' }]],
    [
      'with a root that is a file',
      /root of the archive is not a folder/,
      [paxEntry({ path: '.' }), { name: 'a', content: 'x' }],
    ],
    ['with a size that is no number', /an invalid size/, [paxEntry({ size: '-1' }), { name: 'a' }]],
    ['with a huge extended header', /unreasonable/, [{ name: 'x', type: 'x', size: 2_000_000 }]],
    ['with an extended header of nonsense', /invalid extended header/, [{ name: 'x', type: 'x', content: '99 a=b\n' }]],
    ['with nothing in it', /empty/, []],
  ];

  it.each(cases)('%s', (_what, words, entries) =>
    refused(sampleArchive(...(entries.length ? [{ name: 'first', content: 'x' }, ...entries] : [])), words),
  );

  it('with a damaged header', async () => {
    const header = tarHeader({ name: 'a' });
    header[0] = 0x7a;
    await refused(gzipSync(sampleTar(header)), /not a tar/);
    await refused(gzipSync(Buffer.from('x'.repeat(2000))), /not a tar|invalid header/);
  });

  it('with a GNU size beyond all numbers', async () => {
    const header = tarHeader({ name: 'a' });
    header.fill(0xff, 124, 136);
    await refused(gzipSync(sampleTar(withTarChecksum(header))), /an invalid size/);
  });

  it('when it ends too early', async () => {
    await refused(gzipSync(tarHeader({ name: 'a', size: 4000 })), /ends in the middle/);
    await refused(gzipSync(tarEntry({ name: 'a', content: 'x' }).subarray(0, 700)), /ends in the middle/);
    const whole = sampleArchive({
      name: 'a',
      content: Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251)),
    });
    await refused(whole.subarray(0, whole.length - 9), /cut off/);
  });

  it('when it is not gzip', async () => {
    await refused(Buffer.from('PK\x03\x04 and so on'), /not a gzip/);
    await refused(sampleTar({ name: 'a' }), /not a gzip/);
    await refused(Buffer.alloc(0), /cut off/);
  });

  it('with too many entries', async () => {
    const limits = { ...archiveLimits, entries: 3 };
    const named = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `f${i}` }));
    await expect(checkArchive(streamOf(sampleArchive(...named(3))), limits)).resolves.toMatchObject({ files: 3 });
    await refused(sampleArchive(...named(4)), /more than 3 files/, limits);
    await refused(sampleArchive(...Array.from({ length: 4 }, () => ({ name: '.git/x' }))), /more than 3 files/, limits);
  });

  it('with paths so deep that they stand for millions of folders', async () => {
    await refused(
      sampleArchive(
        { name: 'd/'.repeat(40), prefix: 'e/'.repeat(70), type: '5' },
        paxEntry({ path: 'x/'.repeat(129) }),
        {
          name: 'a',
        },
      ),
      /too deep/,
    );
    const deep = Array.from({ length: 10 }, (_, i) => ({ name: `${i}/${'d/'.repeat(40)}`, type: '5' }));
    await refused(sampleArchive(...deep), /more than 300 files/, { ...archiveLimits, entries: 300 });
  });

  it('with links that would take forever to follow', async () => {
    const winding = 'd/../'.repeat(500);
    const chain = Array.from({ length: 30 }, (_, i) => [
      paxEntry({ linkpath: `${winding}l${i + 1}` }),
      { name: `l${i}`, type: '2' },
    ]).flat();
    const many = Array.from({ length: 200 }, (_, i) => ({ name: `m${i}`, type: '2', link: 'l0' }));
    const began = performance.now();
    await refused(sampleArchive(...chain, ...many), /too many nested links/);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it('with long link targets at no more cost than their names', async () => {
    const idle = './'.repeat(1500);
    const chain = Array.from({ length: 37 }, (_, i) => [
      paxEntry({ linkpath: `${idle}l${i + 1}` }),
      { name: `l${i}`, type: '2' },
    ]).flat();
    const many = Array.from({ length: 4000 }, (_, i) => ({ name: `m${i}`, type: '2', link: 'l0' }));
    const bytes = sampleArchive(...chain, ...many);
    expect(bytes.length).toBeLessThan(100_000);
    const began = performance.now();
    await checkArchive(streamOf(bytes));
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it('when it is too large unpacked, whatever makes it large', async () => {
    const limits = { ...archiveLimits, bytes: 2 ** 20 };
    const half = { name: 'a', content: Buffer.alloc(600_000) };
    await expect(checkArchive(streamOf(sampleArchive(half)), limits)).resolves.toMatchObject({ bytes: 600_000 });
    await refused(sampleArchive(half, { ...half, name: 'b' }), /more than 1 MB/, limits);
    await refused(sampleArchive(half, { name: 'b', type: '1', link: 'a' }), /more than 1 MB/, limits);
    const headers = Array.from({ length: 1100 }, () => paxEntry({ comment: 'x'.repeat(400) }, 'g'));
    await refused(sampleArchive(...headers, { name: 'a' }), /more than 1 MB/, limits);
    await refused(gzipSync(Buffer.concat([sampleTar({ name: 'a' }), Buffer.alloc(2 ** 20)])), /more than 1 MB/, limits);
  });

  it('when it is a zip bomb, long before all of it is unpacked', async () => {
    const zeros = gzipSync(Buffer.concat([tarHeader({ name: 'a', size: 2 ** 28 }), Buffer.alloc(2 ** 27)]));
    await refused(zeros, /extreme compression ratio/);
  });
});

describe('archive reader survives', () => {
  const survives = async (bytes: Buffer) => {
    const into = join(newFolder('fuzz'), 'inside');
    const outcome = await extractArchive(streamOf(bytes), into).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ArchiveError);
    expect(readdirSync(join(into, '..'))).toEqual([basename(into)]);
    for (const each of readdirSync(into, { recursive: true, withFileTypes: true }).filter((it) =>
      it.isSymbolicLink(),
    )) {
      const path = join(each.parentPath, each.name);
      if (existsSync(path)) expect(`${realpathSync(path)}/`).toContain(`${realpathSync(into)}/`);
    }
    expectUntouchedSentinel();
  };
  const expectUntouchedSentinel = () => expect(listed(join(outer, 'sentinel'))).toEqual(['secret']);

  it('random bytes', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), (bytes) => survives(Buffer.from(bytes))),
      { numRuns: 150 },
    ));

  it('compressed random bytes', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), (bytes) => survives(gzipSync(bytes))),
      { numRuns: 150 },
    ));

  const part = fc.constantFrom('a', 'b', '..', '.', '', 'c', '.git', '\\', 'C:', '\0', 'ü', 'x'.repeat(90));
  const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
  const sample = fc.record({
    name: path,
    type: fc.constantFrom('0', '1', '2', '5', 'L', 'K', 'x', 'g', '3', '7', 'S', '\0'),
    link: path,
    content: fc.string({ maxLength: 600 }),
    mode: fc.integer({ min: 0, max: 0o7777 }),
  });

  it('random entries, and their links stay inside', () =>
    fc.assert(
      fc.asyncProperty(fc.array(sample, { maxLength: 8 }), (samples) => survives(sampleArchive(...samples))),
      { numRuns: 400 },
    ));

  it('a valid archive with some bytes changed', () => {
    const good = sampleTar(
      { name: 'd/', type: '5' },
      { name: 'd/a', content: 'x'.repeat(700) },
      { name: 'l', type: '2', link: 'd/a' },
    );
    const flips = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    return fc.assert(
      fc.asyncProperty(flips, fc.boolean(), (changes, sign) => {
        const bytes = Buffer.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        if (sign) withTarChecksum(bytes.subarray(0, 512));
        return survives(gzipSync(bytes));
      }),
      { numRuns: 200 },
    );
  });
});

function rawName(name: Buffer): Buffer {
  const header = tarHeader({ name: '' });
  name.copy(header, 0);
  return withTarChecksum(header);
}
