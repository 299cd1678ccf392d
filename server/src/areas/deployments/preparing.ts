import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Detection } from '../../detect/detect.ts';
import type { Host } from '../../drivers/host/host.ts';
import { badRequest } from '../../errors.ts';
import { checkout, GitError, gitEnvironment, type RunGit } from '../../lib/git.ts';
import { newId } from '../../lib/ids.ts';
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

/** Looks at a source without keeping anything of it. */
export function createPrepare({ host, dataDir, environment, detect, resolveLocal }: On): PrepareOptions {
  const tmp = join(dataDir, 'tmp');
  /** Folders and the work in them, by the same name. */
  const underWay = new Set<string>();

  /** A service that was killed could not clear away its own. */
  async function clearAbandoned(): Promise<void> {
    const abandoned = (await readdir(tmp)).filter((name) => name.startsWith('prepare') && !underWay.has(name));
    for (const name of abandoned) {
      await host.endWork(name);
      await rm(join(tmp, name), { recursive: true, force: true });
    }
  }

  return {
    local: async (path) => detect(await resolveLocal(path)),
    checkUrl(url) {
      const checked = Source.safeParse({ type: 'git', url });
      if (!checked.success) throw badRequest(`url ${checked.error.issues[0]!.message}`, 'url');
    },
    async git(url, branch) {
      const name = newId('prepare');
      const folder = join(tmp, name);
      underWay.add(name);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await clearAbandoned();
        await checkout(runGit(host, name, { ...environment, ...gitEnvironment(folder) }), folder, url, branch, null);
        return await detect(folder);
      } catch (error) {
        if (error instanceof GitError) throw badRequest(`the repository cannot be read: ${error.message}`, 'url');
        throw error;
      } finally {
        await rm(folder, { recursive: true, force: true });
        underWay.delete(name);
      }
    },
  };
}

/** Git with its output collected; a command that hangs is ended. */
export function runGit(
  host: Host,
  work: string,
  env: Record<string, string>,
  signal = new AbortController().signal,
  deadlineMs = fetchMs,
): RunGit {
  return async (args, cwd) => {
    const output = { stdout: '', stderr: '' };
    const { code } = await host.exec(
      { work, file: 'git', args, cwd, env },
      {
        signal,
        deadlineMs,
        onOutput: (stream, chunk) => void (output[stream] = (output[stream] + chunk.toString()).slice(-20_000)),
      },
    );
    return { code, ...output };
  };
}
