import type { Exit } from '../../../drivers/host/host.ts';
import { newTemporary, sandboxOf } from '../../../drivers/host/isolation.ts';
import { splitLines } from '../../../drivers/host/lines.ts';
import type { AppUser } from '../../../drivers/host/sandbox.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import type { Variable } from '../model.ts';
import type { StepContext } from './step.ts';

type Options = {
  step: 'build' | 'release';
  cwd: string;
  home: string;
  user: AppUser | null;
  variables: Variable[];
};

/** Runs one of the project's own commands: it is given whole to a shell, and nothing of ours is put into it. */
export async function run(
  { parts, deployment, signal, log }: StepContext,
  command: string,
  { step, cwd, home, user, variables }: Options,
): Promise<Exit> {
  const own = Object.fromEntries(variables.map(({ key, value }) => [key, value]));
  const env = {
    ...parts.buildEnvironment,
    HOME: home,
    CI: 'true',
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
    ...own,
  };
  const lines = {
    stdout: splitLines((line) => log(line, 'info', 'stdout')),
    stderr: splitLines((line) => log(line, 'info', 'stderr')),
  };
  const temporary = newTemporary(parts.folders.dataDir);
  const writable = [parts.folders.release(deployment.artifact_id), home];
  const sandbox = sandboxOf(parts.isolation, { user, writable, temporary });
  const work = { work: `${deployment.id}/${step}`, file: '/bin/sh', args: ['-c', command], cwd, env };
  try {
    return await parts.host.exec(
      { ...work, ...(sandbox && { sandbox }) },
      { signal, deadlineMs: parts.timeouts.buildMs, onOutput: (stream, chunk) => lines[stream].push(chunk) },
    );
  } finally {
    await removeTree(temporary);
    lines.stdout.end();
    lines.stderr.end();
  }
}
