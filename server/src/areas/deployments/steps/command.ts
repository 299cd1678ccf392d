import type { Exit } from '../../../drivers/host/host.ts';
import { splitLines } from '../../../drivers/host/lines.ts';
import type { Variable } from '../model.ts';
import type { StepContext } from './step.ts';

type Options = {
  step: 'build' | 'release';
  cwd: string;
  home: string;
  user: { uid: number; gid: number } | undefined;
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
  const exit = await parts.host.exec(
    { work: `${deployment.id}/${step}`, file: '/bin/sh', args: ['-c', command], cwd, env, ...(user && { user }) },
    { signal, deadlineMs: parts.timeouts.buildMs, onOutput: (stream, chunk) => lines[stream].push(chunk) },
  );
  lines.stdout.end();
  lines.stderr.end();
  return exit;
}
