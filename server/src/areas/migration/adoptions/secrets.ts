import { join } from 'node:path/posix';
import type { SwarmFile } from '../../../drivers/runtime/docker/survey/answers.ts';
import { textOrNullOf } from '../../../drivers/runtime/docker/survey/swarm-services.ts';
import { FileProblem, type ReadOnlyFiles } from '../../../drivers/host/read-only-files.ts';
import { badRequest } from '../../../errors.ts';
import type { ScannedMachine } from '../scan/scanned-machine.ts';
import type { FoundService } from '../stack/found-services.ts';
import { safeText } from '../stack/safe-text.ts';

const mostBytes = 512 * 1024;

/**
 * Returns the services with the content of their Swarm secrets. A Swarm does not give it out, but the engine keeps it
 * in memory files of the running task, which root can read.
 */
export async function withSecrets(
  found: readonly FoundService[],
  machine: Pick<ScannedMachine, 'withFiles'>,
  dataFolder: string,
): Promise<FoundService[]> {
  const hasSecrets = ({ containers: [{ swarm }] }: FoundService) => swarm?.files.some(({ secretId }) => secretId);
  if (!found.some(hasSecrets)) return [...found];
  return machine.withFiles((files) => Promise.all(found.map((each) => readSecrets(each, files, dataFolder))));
}

async function readSecrets(found: FoundService, files: ReadOnlyFiles, dataFolder: string): Promise<FoundService> {
  const [{ swarm, ...container }, ...others] = found.containers;
  if (!swarm?.taskId) return found;
  const folder = join(dataFolder, 'containers', swarm.taskId, 'mounts/secrets');
  const read = async (file: SwarmFile): Promise<SwarmFile> => {
    if (file.secretId === null) return file;
    const bytes = await files.read(join(folder, file.secretId), mostBytes).catch((error: unknown) => {
      if (error instanceof FileProblem) return undefined;
      throw error;
    });
    const content = bytes ? textOrNullOf(bytes) : null;
    if (content === null)
      throw badRequest(
        `${found.name}: its Swarm secret ${safeText(file.name, 100)} cannot be read as text; it must run, and the user of the server must be root`,
        'serviceNames',
      );
    return { ...file, content };
  };
  const known = await Promise.all(swarm.files.map(read));
  return { ...found, containers: [{ ...container, swarm: { ...swarm, files: known } }, ...others] };
}
