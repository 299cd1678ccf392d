import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Detection } from '../../detect/detect.ts';
import type { Host } from '../../drivers/host/host.ts';
import { AppError, badRequest } from '../../errors.ts';
import { checkout, GitError, gitEnvironment, type RunGit } from '../../lib/git.ts';
import { Source } from '../projects/projects/source.ts';
import type { PrepareOptions } from './routes/prepare.ts';

type On = {
  host: Host;
  dataDir: string;
  environment: Record<string, string>;
  detect: (folder: string) => Promise<Detection>;
  /** The folder with links followed, if it may be looked at. */
  resolveLocal: (path: string) => Promise<string>;
};

const fetchMs = 120_000;

// Each is a process and a repository on the disk, for as long as the other side likes.
const mostAtOnce = 8;

/** Looks at a source without keeping anything of it. */
export function createPrepare({ host, dataDir, environment, detect, resolveLocal }: On): PrepareOptions {
  let fetching = 0;
  return {
    local: async (path) => detect(await resolveLocal(path)),
    checkUrl(url) {
      const checked = Source.safeParse({ type: 'git', url });
      if (!checked.success) throw badRequest(`url ${checked.error.issues[0]!.message}`, 'url');
    },
    async git(url, branch) {
      if (fetching >= mostAtOnce)
        throw new AppError('rate_limited', 'too many repositories are being looked at', { retryAfterSeconds: 5 });
      fetching++;
      await mkdir(join(dataDir, 'tmp'), { recursive: true, mode: 0o700 });
      const folder = await mkdtemp(join(dataDir, 'tmp', 'prepare-'));
      try {
        await checkout(runGit(host, { ...environment, ...gitEnvironment(folder) }), folder, url, branch, null);
        return await detect(folder);
      } catch (error) {
        if (error instanceof GitError) throw badRequest(`the repository cannot be read: ${error.message}`, 'url');
        throw error;
      } finally {
        fetching--;
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Git with its output collected; a command that hangs is ended. */
export function runGit(
  host: Host,
  env: Record<string, string>,
  signal = new AbortController().signal,
  deadlineMs = fetchMs,
): RunGit {
  return async (args, cwd) => {
    const output = { stdout: '', stderr: '' };
    const { code } = await host.exec(
      { file: 'git', args, cwd, env },
      {
        signal,
        deadlineMs,
        onOutput: (stream, chunk) => void (output[stream] = (output[stream] + chunk.toString()).slice(-20_000)),
      },
    );
    return { code, ...output };
  };
}
