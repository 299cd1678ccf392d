import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { GitServer } from './git-server.ts';
import type { Answer } from './githost-gaps.ts';

const json = (value: unknown, status = 200): Answer => ({ status, headers: {}, text: JSON.stringify(value) });

/** Branches and comparisons of the real repositories; the emulator knows only its own. */
export function realAnswer(git: GitServer, path: string): Answer | undefined {
  const [, owner, name, rest = ''] = /^\/repos\/([^/]+)\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const folder = owner && git.folder(`${owner}/${name}`);
  if (!folder || !existsSync(folder)) return undefined;
  const run = (...args: string[]) => {
    try {
      return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    } catch {
      return undefined;
    }
  };
  const branch = /^branches\/(.+)$/.exec(rest)?.[1];
  if (branch) {
    const sha = run('rev-parse', '--verify', '--quiet', `refs/heads/${decodeURIComponent(branch)}`);
    return sha ? json({ name: branch, commit: { sha }, protected: false }) : json({ message: 'Not Found' }, 404);
  }
  const compared = /^compare\/(\w+)\.\.\.(\w+)$/.exec(decodeURIComponent(rest));
  if (!compared) return undefined;
  const [, from = '', to = ''] = compared;
  const files = run('diff', '--name-only', `${from}...${to}`);
  if (files === undefined) return json({ message: 'Not Found' }, 404);
  return json({
    files: files
      .split('\n')
      .filter(Boolean)
      .map((filename) => ({ filename })),
  });
}
