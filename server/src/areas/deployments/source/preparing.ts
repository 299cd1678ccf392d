import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { Host } from '../../../drivers/host/host.ts';
import { badRequest } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { checkout, gitEnvironment, GitError, type RunGit } from '../../../lib/git/git.ts';
import { credentialEnvironment } from '../../../lib/git/credential.ts';
import { withRestrictedGit } from '../../../lib/git/restricted-git.ts';
import type { OutboundReach } from '../../../lib/outbound.ts';
import { redactor } from '../../../lib/redact.ts';
import { withGitHostErrors, type GitHostSources, visibleRepository } from '../../githost/port.ts';
import { type Detected, type DetectFolder, type SelectedSource, ProjectSource } from '../../projects/port.ts';
import { InspectionSlots } from './inspection-slots.ts';
import { accessReached } from './repository-access.ts';

/** Branch and folder to inspect. */
type Place = SelectedSource & { branch?: string | null | undefined };

export interface PrepareOptions {
  /** Detects the content of a folder on this machine, if the caller may read it. */
  local(caller: Caller, path: string, place: SelectedSource): Promise<Detected>;
  /** Fetches a repository into a temporary folder, detects and removes it. */
  git(caller: Caller, url: string, place: Place): Promise<Detected>;
  checkUrl(url: string): void;
  /** Does the same with a git host's repository that the caller may read. */
  gitHost(caller: Caller, named: { owner: string; repo: string }, place: Place): Promise<Detected>;
}

type Deps = {
  host: Host;
  dataDir: string;
  environment: Record<string, string>;
  /** Networks that users may have us fetch from. */
  reach: OutboundReach;
  detect: DetectFolder;
  /** Resolves the folder, links included, if the caller may read it. */
  resolveLocal: (caller: Caller, path: string) => Promise<string>;
  sources: GitHostSources;
};

const fetchMs = 120_000;

/** Inspects a source without keeping anything of it. */
export function createPrepare({
  host,
  dataDir,
  environment,
  reach,
  detect,
  resolveLocal,
  sources,
}: Deps): PrepareOptions {
  const tmp = join(dataDir, 'tmp');
  const places = new InspectionSlots('prepare');

  /** Removes folders that a killed process left behind. */
  async function clearAbandoned(): Promise<void> {
    const abandoned = (await readdir(tmp)).filter((name) => name.startsWith('prepare') && !places.has(name));
    for (const name of abandoned) {
      await host.endWork(name);
      await rm(join(tmp, name), { recursive: true, force: true });
    }
  }

  /** Fetches into a temporary folder that exists while `detect` runs. `more` has the git credentials. */
  async function fetched(name: string, url: string, { branch = null, ...place }: Place, more: Record<string, string>) {
    const folder = join(tmp, name);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await clearAbandoned();
      const env = { ...environment, ...gitEnvironment(), ...more };
      const fetch = (bound: Record<string, string>) => checkout(runGit(host, name, bound), folder, url, branch, null);
      // With a credential, the URL is the git host's own, which the operator configured.
      await (Object.keys(more).length ? fetch(env) : withRestrictedGit(env, url, reach, fetch));
      return await detect(folder, place);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  return {
    local: async (caller, path, place) => detect(await resolveLocal(caller, path), place),
    checkUrl(url) {
      const checked = ProjectSource.safeParse({ type: 'git', url });
      if (!checked.success) throw badRequest(`url ${checked.error.issues[0]!.message}`, 'url');
    },
    git: ({ organization }, url, place) =>
      places
        .taken(organization.id, (name) => fetched(name, url, place, {}))
        .catch((error: unknown) => {
          if (error instanceof GitError) throw badRequest(`the repository cannot be read: ${error.message}`, 'url');
          throw error;
        }),
    // Takes the slot before issuing a credential.
    gitHost: (caller, named, place) =>
      places.taken(caller.organization.id, async (name) => {
        const access = await accessFor(sources, caller, named);
        try {
          return await fetched(name, access.url, place, credentialEnvironment(access.credential));
        } catch (error) {
          if (!(error instanceof GitError)) throw error;
          const reason = redactor([access.credential.password])(error.message);
          throw badRequest(`the repository cannot be read: ${reason}`, 'repo');
        } finally {
          // A failure to revoke is harmless: the token expires within an hour.
          await access.end().catch((error: unknown) => {
            if (!(error instanceof GitHostError)) throw error;
          });
        }
      }),
  };
}

/** Issues a credential for a repository that the caller may read. */
const accessFor = (sources: GitHostSources, caller: Caller, { owner, repo }: { owner: string; repo: string }) =>
  withGitHostErrors(() =>
    sources.inTime(async (signal) => {
      const reached = await visibleRepository(sources, caller, { owner, name: repo }, 'read', signal);
      return accessReached(reached, { signal });
    }),
  );

/** Runs git and collects its output, with a timeout. */
export function runGit(
  host: Host,
  work: string,
  env: Record<string, string>,
  signal = new AbortController().signal,
  deadlineMs = fetchMs,
): RunGit {
  return async (args, cwd, onStdout) => {
    const output = { stdout: '', stderr: '' };
    const { code } = await host.exec(
      { work, file: 'git', args, cwd, env },
      {
        signal,
        deadlineMs,
        onOutput(stream, chunk) {
          if (onStdout && stream === 'stdout') onStdout(chunk);
          else output[stream] = (output[stream] + chunk.toString()).slice(-20_000);
        },
      },
    );
    return { code, ...output };
  };
}
