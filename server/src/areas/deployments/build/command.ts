import { join, posix } from 'node:path';
import type { Exit } from '../../../drivers/host/host.ts';
import { newTemporary, sandboxOf } from '../../../drivers/host/isolation.ts';
import { splitLines } from '../../../drivers/host/lines.ts';
import type { AppUser } from '../../../drivers/host/sandbox.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import type { CrashExcerpt } from '../model/crash-excerpt.ts';
import { rememberLines, withReason } from './crash-report.ts';
import type { OpenedTools } from './toolchain/toolchain.ts';
import { StepError, type DeploymentVariable } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import type { StepContext } from '../model/step.ts';
import type { DeploymentRow } from '../model/store.ts';

type Options = {
  step: 'build' | 'release';
  user: AppUser | null;
  variables: DeploymentVariable[];
  toolchain: OpenedTools;
  /** Volume folders of the project that it may also write to. */
  volumes?: string[];
};

/** Error of a failed project command, with the output line that explains it. */
export const commandFailed = (
  code: string,
  what: string,
  { code: exitCode, signal, excerpt }: Pick<Exit, 'code' | 'signal'> & { excerpt: CrashExcerpt | null },
  hint: string,
): StepError => {
  const how = signal ? `ended by ${signal}` : `exit code ${exitCode}`;
  return new StepError(code, withReason(`${what} failed (${how})`, excerpt), hint, excerpt?.lines);
};

/** Folders of the programs that a package manager installed: the app's own first, then its parents'. */
export function ownPrograms(release: string, rootDirectory: string): string[] {
  const folders: string[] = [];
  for (let path = posix.normalize(rootDirectory || '.'); ; path = posix.dirname(path)) {
    folders.push(join(release, path, '.venv/bin'), join(release, path, 'node_modules/.bin'));
    if (path === '.' || path === '/') return folders;
  }
}

type Place = Pick<DeploymentRow, 'projectId' | 'artifactId'> & { rootDirectory: string };

/** Environment of a project's command: programs and tools of its release come first on the `PATH`. */
export function commandEnvironment(
  { folders, buildEnvironment }: Pick<Parts, 'folders' | 'buildEnvironment'>,
  { projectId, artifactId, rootDirectory }: Place,
  { programs, env }: OpenedTools,
  own: Record<string, string>,
): Record<string, string> {
  const path = own['PATH'] ?? buildEnvironment['PATH'] ?? '/usr/bin:/bin';
  return {
    ...buildEnvironment,
    HOME: folders.home(projectId),
    CI: 'true',
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
    ...env,
    ...own,
    PATH: [...ownPrograms(folders.release(artifactId), rootDirectory), ...programs, path].join(':'),
  };
}

/** Runs a command of the project in the app's folder. The shell gets it unmodified. */
export async function runCommand(
  { parts, deployment, config, signal, log }: StepContext,
  command: string,
  { step, user, variables, toolchain, volumes = [] }: Options,
): Promise<Exit & { excerpt: CrashExcerpt | null }> {
  const release = parts.folders.release(deployment.artifactId);
  const own = Object.fromEntries(variables.map(({ key, value }) => [key, value]));
  const env = commandEnvironment(parts, { ...deployment, rootDirectory: config.rootDirectory }, toolchain, own);
  const remembered = rememberLines(log);
  const lines = {
    stdout: splitLines((line) => remembered.log(line, 'info', 'stdout')),
    stderr: splitLines((line) => remembered.log(line, 'info', 'stderr')),
  };
  const temporary = newTemporary(parts.folders.dataDir);
  const writable: [...string[], string] = [...volumes, release, parts.folders.home(deployment.projectId)];
  const sandbox = sandboxOf(await parts.isolation, { user, writable, readable: toolchain.folders, temporary });
  const work = {
    work: `${deployment.id}/${step}`,
    file: '/bin/sh',
    args: ['-c', command],
    cwd: join(release, config.rootDirectory),
    env,
  };
  let exit: Exit;
  try {
    exit = await parts.host.exec(
      { ...work, ...(sandbox && { sandbox }) },
      { signal, deadlineMs: parts.timeouts.buildMs, onOutput: (stream, chunk) => lines[stream].push(chunk) },
    );
  } finally {
    await removeTree(temporary);
    lines.stdout.end();
    lines.stderr.end();
  }
  return { ...exit, excerpt: remembered.excerpt() };
}
