import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { EngineClient } from '../../src/drivers/runtime/docker/engine-client.ts';
import { exited, newFolder } from './children.ts';

// There is no registry to pull from: images are packed from programs of this machine.

export interface ImageParts {
  /** As `busybox:latest`. */
  name: string;
  /** Programs of this machine: they come with the libraries that they need, to the same place. */
  programs?: string[];
  /** Further files: where they are in the image, and what they hold or (an absolute path) are a copy of. */
  files?: Record<string, string>;
  /** Instructions as in a Dockerfile: CMD, ENV, USER, WORKDIR, LABEL, VOLUME, EXPOSE. */
  changes?: string[];
}

const busyboxProgram = '/usr/bin/busybox';
const nodeInImage = '/usr/local/bin/node';

/** A shell and the small programs, in two megabytes. */
export const busybox: ImageParts = { name: 'busybox:latest', changes: ['CMD ["sh"]'] };

/** The Node that runs the tests. */
export const node: ImageParts = {
  name: 'node:24-slim',
  programs: [process.execPath],
  changes: ['CMD ["node"]', 'ENV NODE_VERSION=24'],
};

/** Makes the image in the engine; gives its id. */
export async function makeImage(client: EngineClient, parts: ImageParts): Promise<string> {
  const folder = newFolder('image');
  try {
    stage(folder, parts);
    const tar = spawn('tar', ['-C', folder, '--owner=0', '--group=0', '--numeric-owner', '-cf', '-', '.'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [repo, tag] = parts.name.split(':') as [string, string];
    const answer = await client.open({
      method: 'POST',
      path: '/images/create',
      query: { fromSrc: '-', repo, tag, changes: (parts.changes ?? []).join('\n') },
      body: tar.stdout,
    });
    const said = await text(answer);
    if ((await exited(tar)) !== 0 || said.includes('"error"')) throw new Error(`the image was not made: ${said}`);
    return (await client.json<{ Id: string }>({ method: 'GET', path: `/images/${parts.name}/json` })).Id;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function stage(folder: string, { programs = [], files = {} }: ImageParts): void {
  const place = (path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
  for (const name of ['tmp', 'var/tmp']) {
    mkdirSync(join(folder, name), { recursive: true });
    chmodSync(join(folder, name), 0o1777);
  }
  for (const name of ['root', 'run', 'proc', 'sys', 'dev', 'home']) mkdirSync(join(folder, name));
  writeFileSync(place('etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home:/bin/sh\n');
  writeFileSync(place('etc/group'), 'root:x:0:\nnode:x:1000:\n');
  copyFileSync(busyboxProgram, place('bin/busybox'));
  for (const applet of output(busyboxProgram, '--list')) symlinkSync('busybox', place(`bin/${applet}`));
  for (const program of programs) {
    copyFileSync(program, place(program === process.execPath ? nodeInImage : program));
    for (const library of librariesOf(program)) copyFileSync(library, place(library));
  }
  for (const [path, content] of Object.entries(files))
    if (content.startsWith('/')) copyFileSync(content, place(path));
    else writeFileSync(place(path), content);
}

const output = (file: string, ...args: string[]): string[] =>
  execFileSync(file, args, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line && line !== 'busybox');

const librariesOf = (program: string): string[] =>
  output('ldd', program).flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
