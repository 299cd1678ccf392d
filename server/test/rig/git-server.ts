import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './children.ts';

export interface GitServer {
  url(repository: string): string;
  /** Its path on this machine, for other transports. */
  folder(repository: string): string;
  /**
   * Commits the files of `folder` on a branch, creating the repository if necessary; returns the commit id.
   * `submodules` are commits by path.
   */
  push(
    repository: string,
    folder: string,
    message: string,
    branch?: string,
    submodules?: Record<string, string>,
  ): string;
  /** Blocks requests until they are released. */
  hold(): void;
  letGo(): void;
  /** The number of blocked requests. */
  waiting(): number;
  stop(): Promise<void>;
}

/** Whether a password grants access to a repository (`team/shop`). */
export type Admits = (repository: string, password: string) => boolean;

/** Real repositories behind `git http-backend`; public, or protected by a password. */
export async function startGitServer(admits?: Admits): Promise<GitServer> {
  const root = newFolder('git');
  const waiting = new Set<() => void>();
  let held = false;
  const server = createServer((request, response) => {
    if (admits && !isAdmitted(request, admits))
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="rig"' }).end();
    const answer = () => backend(root, request, response);
    if (!held) return answer();
    waiting.add(answer);
    response.once('close', () => waiting.delete(answer));
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const git = (cwd: string, ...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=Rig', '-c', 'user.email=rig@example.com', '-c', 'init.defaultBranch=main', ...args],
      { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    ).trim();
  return {
    folder: (repository) => join(root, `${repository}.git`),
    url: (repository) => `http://127.0.0.1:${port}/${repository}.git`,
    push(repository, folder, message, branch = 'main', submodules = {}) {
      const bare = join(root, `${repository}.git`);
      mkdirSync(bare, { recursive: true });
      git(bare, 'init', '--bare', '--quiet');
      const work = newFolder('work');
      git(work, 'clone', '--quiet', bare, '.');
      git(work, 'checkout', '--quiet', '-B', branch, ...(hasBranch(git, bare, branch) ? [`origin/${branch}`] : []));
      cpSync(folder, work, { recursive: true });
      git(work, 'add', '--all');
      for (const [path, commit] of Object.entries(submodules))
        git(work, 'update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
      git(work, 'commit', '--quiet', '--allow-empty', '-m', message);
      git(work, 'push', '--quiet', 'origin', branch);
      return git(work, 'rev-parse', 'HEAD');
    },
    hold: () => void (held = true),
    letGo() {
      held = false;
      for (const answer of waiting) answer();
      waiting.clear();
    },
    waiting: () => waiting.size,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isAdmitted({ url, headers }: IncomingMessage, admits: Admits): boolean {
  const [, repository] = /^\/(.+?)\.git\//.exec(url!) ?? [];
  const given = Buffer.from(/^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '', 'base64').toString();
  return Boolean(repository && admits(repository, given.slice(given.indexOf(':') + 1)));
}

function hasBranch(git: (cwd: string, ...args: string[]) => string, bare: string, branch: string): boolean {
  return git(bare, 'branch', '--list', branch) !== '';
}

/** Runs one request through git's CGI program. */
function backend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url!, 'http://x');
  const env = {
    PATH: process.env['PATH'] ?? '',
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: decodeURIComponent(pathname),
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method!,
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
  };
  const child = spawn('git', ['http-backend'], { env });
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  let begun = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (begun) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    begun = true;
    const headers = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1];
    response.writeHead(
      status ? parseInt(status, 10) : 200,
      Object.fromEntries(headers.filter(([name]) => name !== 'Status')),
    );
    response.write(head.subarray(end + 4));
    return undefined;
  });
  child.once('close', () => response.end());
}
