import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FolderRelease } from '../runtime.ts';
import { appEnvironment } from './app-environment.ts';
import { type ProcessIsolation, sandboxOf } from '../../host/isolation.ts';
import { bootId } from '../../host/processes.ts';
import { type InstanceRecord, processTreeOf } from './state-file.ts';
import type { SupervisorTask } from './supervisor-process.ts';
import { defaultLimits, type SupervisorLimits } from './supervisor-spec.ts';

type Place = {
  folder: string;
  host: string;
  port: number;
  isolation: ProcessIsolation;
  limits?: Partial<SupervisorLimits>;
};

/** Returns the task of a supervisor and its initial record. For an orphaned app: to adopt it, and to restart it when
 * it exits. */
export function newTask(spec: FolderRelease, place: Place, orphan?: InstanceRecord): SupervisorTask {
  const { folder, host, port, isolation, limits } = place;
  const sandbox = sandboxOf(isolation, {
    user: spec.user,
    writable: [...(spec.volumes ?? []), spec.releaseFolder ?? spec.folder],
    readable: spec.tools ?? [],
    temporary: join(folder, 'tmp'),
  });
  const marker = orphan?.marker ?? `MOORING_PROCESS=${randomBytes(12).toString('hex')}`;
  return {
    folder,
    limits: { ...defaultLimits, ...limits },
    app: {
      command: spec.command,
      folder: spec.folder,
      env: appEnvironment(spec, { host, port, marker }),
      secretKeys: spec.secretKeys,
      sandbox: sandbox ?? null,
    },
    record: orphan
      ? { ...orphan, since: processTreeOf(orphan).since }
      : {
          owner: spec.owner,
          bootId: bootId(),
          host,
          port,
          app: null,
          marker,
          status: 'starting',
          startedAt: null,
          starts: 0,
          restarts: 0,
          exitCode: null,
          exitSignal: null,
          memoryLimitBytes: spec.memoryBytes ?? null,
          ...(sandbox?.user && { uid: sandbox.user.uid }),
          notices: [],
        },
  };
}
