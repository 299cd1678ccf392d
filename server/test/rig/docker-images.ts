import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { EngineClient } from '../../src/drivers/runtime/docker/engine/client.ts';
import { exited, newFolder } from './children.ts';
import { debianFiles, packageDatabase, withNeeded } from './debian-files.ts';

// There is no registry to pull from: images are packed from this machine's programs.

export interface ImageParts {
  /** Such as `busybox:latest`. */
  name: string;
  /** Installed Debian packages with their dependencies. Without any, BusyBox provides the shell and tools. */
  packages?: string[];
  /** Programs of this machine and their targets. Their libraries are included. */
  programs?: Record<string, string>;
  /** Files and folders of this machine and their targets. */
  copies?: Record<string, string>;
  /** World-writable folders. */
  writable?: string[];
  /** Small files with their content. Those in a bin folder are executable. */
  files?: Record<string, string>;
  links?: Record<string, string>;
  /** Files of the packages to exclude. */
  without?: string[];
  /** Whether to include the package manager with its records, so that it can install more. */
  hasPackageManager?: boolean;
  /** Instructions as in a Dockerfile: CMD, ENV, USER, WORKDIR, LABEL, VOLUME, EXPOSE. */
  changes?: string[];
}

const busyboxProgram = '/usr/bin/busybox';
export const certificates = '/etc/ssl/certs/ca-certificates.crt';
const nodeProgram = { '/usr/local/bin/node': process.execPath };

/** A shell and tools in two megabytes. */
export const busybox: ImageParts = { name: 'busybox:latest', changes: ['CMD ["sh"]'] };

/** The Node that runs the tests, and little else. */
export const node: ImageParts = { name: 'node:24-slim', programs: nodeProgram, changes: ['CMD ["node"]'] };

export const debian: ImageParts = {
  name: 'debian:bookworm-slim',
  packages: [
    'base-files',
    'bash',
    'coreutils',
    'dash',
    'findutils',
    'grep',
    'gzip',
    'hostname',
    'libc-bin',
    'login',
  ].concat(['mawk', 'ncurses-base', 'netbase', 'openssl', 'passwd', 'procps', 'sed', 'tar', 'tzdata', 'util-linux']),
  copies: { [certificates]: certificates },
  // A link of the alternatives system, which belongs to no package.
  links: { '/usr/bin/awk': 'mawk' },
  changes: ['CMD ["bash"]'],
};

/** Includes npm, for apps that are built in a container. */
export const nodeForBuilds = (): ImageParts => ({
  ...debian,
  name: 'node:24',
  programs: nodeProgram,
  copies: { ...debian.copies, '/usr/local/lib/node_modules/npm': npmFolder() },
  files: { '/usr/local/etc/npmrc': `cafile=${certificates}\n` },
  links: {
    ...debian.links,
    '/usr/local/bin/npm': '../lib/node_modules/npm/bin/npm-cli.js',
    '/usr/local/bin/npx': '../lib/node_modules/npm/bin/npx-cli.js',
  },
  changes: ['CMD ["node"]', `ENV NODE_EXTRA_CA_CERTS=${certificates}`],
});

/** Creates the image in the engine; returns its id. */
export async function makeImage(client: EngineClient, parts: ImageParts): Promise<string> {
  const folder = newFolder('image');
  try {
    const [root, list] = [join(folder, 'root'), join(folder, 'list')];
    stage(root, parts);
    writeFileSync(list, stagePackages(root, parts).join('\n'));
    const owned = ['--owner=0', '--group=0', '--numeric-owner'];
    const from = ['-C', root, '.', '-C', '/', '--no-recursion', '-T', list];
    const tar = spawn('tar', [...owned, '-cf', '-', ...from], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [repo, tag] = parts.name.split(':') as [string, string];
    const query = { fromSrc: '-', repo, tag, changes: (parts.changes ?? []).join('\n') };
    const said = await text(await client.open({ method: 'POST', path: '/images/create', query, body: tar.stdout }));
    if ((await exited(tar)) !== 0 || said.includes('"error"')) throw new Error(`the image was not made: ${said}`);
    return (await client.json<{ Id: string }>({ method: 'GET', path: `/images/${parts.name}/json` })).Id;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the files to copy directly from the machine. */
function stagePackages(root: string, { packages, without = [], hasPackageManager }: ImageParts): string[] {
  if (!packages) return [];
  const all = withNeeded(hasPackageManager ? [...packages, 'apt', 'debian-archive-keyring', 'dpkg'] : packages);
  const { status, files } = hasPackageManager ? packageDatabase(all) : { status: '', files: [] };
  if (hasPackageManager) {
    for (const name of ['var/lib/dpkg/updates', 'var/lib/dpkg/alternatives', 'var/lib/apt/lists/partial'])
      mkdirSync(join(root, name), { recursive: true });
    for (const name of ['var/cache/apt/archives/partial', 'var/log/apt', 'etc/apt/apt.conf.d', 'etc/apt/preferences.d'])
      mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, 'var/lib/dpkg/status'), status);
  }
  const left = new Set(without.map((path) => path.slice(1)));
  const isStaged = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
  return [...debianFiles(all), ...files].filter((path) => !left.has(path) && !isStaged(path));
}

function stage(root: string, { packages, programs = {}, copies = {}, ...parts }: ImageParts): void {
  const { writable = [], files = {}, links = {} } = parts;
  const place = (path: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    return join(root, path);
  };
  for (const name of [
    'tmp',
    'var/tmp',
    'root',
    'run',
    'proc',
    'sys',
    'dev',
    'home/node',
    'usr/bin',
    'usr/sbin',
    'usr/lib',
    'usr/lib64',
  ])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ['tmp', 'var/tmp']) chmodSync(join(root, name), 0o1777);
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
  const users = [
    'root:x:0:0::/root:/bin/sh',
    'www-data:x:33:33::/var/www:/bin/sh',
    'node:x:1000:1000::/home/node:/bin/sh',
    'nobody:x:65534:65534::/:/bin/sh',
  ];
  writeFileSync(place('etc/passwd'), `${users.join('\n')}\n`);
  writeFileSync(place('etc/group'), 'root:x:0:\nwww-data:x:33:\nnode:x:1000:\nnogroup:x:65534:\n');
  if (!packages) stageBusybox(place);
  for (const [path, program] of Object.entries(programs)) {
    copyFileSync(program, place(path));
    for (const library of librariesOf(program)) copyFileSync(library, place(library));
  }
  for (const [path, from] of Object.entries(copies)) cpSync(from, place(path), { recursive: true, dereference: true });
  for (const [path, content] of Object.entries(files))
    writeFileSync(place(path), content, { mode: path.includes('/bin/') ? 0o755 : 0o644 });
  for (const path of writable) {
    mkdirSync(place(path), { recursive: true });
    chmodSync(join(root, path), 0o1777);
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, place(path));
}

function stageBusybox(place: (path: string) => string): void {
  copyFileSync(busyboxProgram, place(busyboxProgram));
  for (const applet of execFileSync(busyboxProgram, ['--list'], { encoding: 'utf8' }).trim().split('\n'))
    if (applet !== 'busybox') symlinkSync('busybox', place(`/usr/bin/${applet}`));
}

const librariesOf = (program: string): string[] =>
  execFileSync('ldd', [program], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);

const npmFolder = (): string =>
  dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));
