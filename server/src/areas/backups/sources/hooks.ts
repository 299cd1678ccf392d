import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { newTemporary, sandboxOf } from '../../../drivers/host/isolation.ts';
import { splitLines } from '../../../drivers/host/lines.ts';
import { redactor } from '../../../lib/redact.ts';
import { redactingStream } from '../../../lib/redact-stream.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import { commandEnvironment, openTools, type ProjectData } from '../../deployments/port.ts';
import { BackupError, type SourceCall } from './source.ts';
import { containerTools } from './tools.ts';

const deadlineMs = 600_000;

type Hook = { service?: string | undefined; command: string };

export const projectSecrets = ({ resting: { config, stack } }: ProjectData): string[] => [
  ...config.variables.flatMap(({ secret, value }) => (secret ? value : [])),
  ...stack.secrets,
];

/** Runs a user's command where the service runs. The shell there gets it unmodified. Secret variables are redacted in
 * its output. */
export async function runHook(data: ProjectData, hook: Hook, call: SourceCall): Promise<void> {
  const secrets = projectSecrets(data);
  const lines = splitLines(call.say);
  const output = redactingStream(secrets).on('data', (chunk: Buffer) => lines.push(chunk));
  try {
    await runCommand(data, hook, call, (chunk) => void output.write(chunk));
  } catch (error) {
    if (error instanceof BackupError) error.message = redactor(secrets)(error.message);
    throw error;
  } finally {
    output.end();
    await finished(output);
    lines.end();
  }
}

async function runCommand(
  data: ProjectData,
  { service: wanted, command }: Hook,
  { signal, jobId }: SourceCall,
  onOutput: (chunk: Buffer) => void,
): Promise<void> {
  const service = wanted === undefined ? data.services[0] : data.services.find(({ name }) => name === wanted);
  if (!service)
    throw new BackupError('no_service', `There is no service ${wanted ?? 'to run the command in'}`, 'Change the hook.');
  const { parts, resting } = data;
  if (service.image !== null) {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
    const own = { deploymentId: service.deploymentId, service: service.name };
    const place = `the service ${service.name}`;
    const tools = containerTools(parts.containers!.services.data, own, { place, signal: stop });
    await tools.run({ args: ['sh', '-c', command], onOutput });
    return;
  }
  const { projectId, artifactId, environment } = resting.row;
  const { rootDirectory } = resting.config;
  const { folder } = resting.states.find(({ name }) => name === service.name)!;
  const tools = await openTools(parts, resting.stack.app!, folder?.tools, signal);
  const release = parts.folders.release(artifactId);
  const volumes = data.volumes.map(({ name }) => parts.folders.volume(projectId, environment, name));
  const writable: [...string[], string] = [...volumes, release, parts.folders.home(projectId)];
  const temporary = newTemporary(parts.folders.dataDir);
  const user = await parts.userOf(projectId);
  const sandbox = sandboxOf(await parts.isolation, { user, writable, readable: tools.folders, temporary });
  try {
    const { code } = await parts.host.exec(
      {
        work: `${jobId}/hook`,
        file: '/bin/sh',
        args: ['-c', command],
        cwd: join(release, rootDirectory),
        env: commandEnvironment(parts, { projectId, artifactId, rootDirectory }, tools, service.environment),
        ...(sandbox && { sandbox }),
      },
      { signal, deadlineMs, onOutput: (_stream, chunk) => onOutput(chunk) },
    );
    if (code !== 0)
      throw new BackupError('hook_failed', `The command failed with exit code ${code}`, 'See the lines above.');
  } finally {
    await removeTree(temporary);
  }
}
