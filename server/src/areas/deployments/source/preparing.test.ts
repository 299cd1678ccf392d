import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { folderOf } from '../../../../test/rig/deploy.ts';
import { startGitServer } from '../../../../test/rig/git-server.ts';
import { localHost } from '../../../drivers/host/local.ts';
import { checkout, gitEnvironment } from '../../../lib/git/git.ts';
import { runGit } from './preparing.ts';

it('rejects a commit with too many files before checkout', async () => {
  const server = await startGitServer();
  onTestFinished(() => server.stop());
  server.push('bomb', folderOf({ file: 'x' }), 'First');
  const git = (input: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Rig', '-c', 'user.email=rig@example.com', ...args], {
      cwd: server.folder('bomb'),
      encoding: 'utf8',
      input,
    }).trim();
  // Ten identical folders, nested eight times: 100 million files in nine objects.
  let tree = git('', 'rev-parse', 'main^{tree}');
  for (let depth = 0; depth < 8; depth++)
    tree = git(Array.from({ length: 10 }, (_, i) => `040000 tree ${tree}\td${i}\n`).join(''), 'mktree');
  git('', 'update-ref', 'refs/heads/main', git('', 'commit-tree', tree, '-m', 'Bomb'));
  const folder = newFolder('checkout');
  const run = runGit(localHost(), 'test', { PATH: process.env['PATH']!, ...gitEnvironment() }, undefined, 20_000);
  await expect(checkout(run, folder, server.url('bomb'), 'main', null)).rejects.toThrow(
    'the commit holds more than 100000 files and folders',
  );
  expect(readdirSync(folder)).toEqual(['.git']);
});
