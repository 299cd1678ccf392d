import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledProgram } from '../../../../test/rig/bundled-program.ts';
import type { ReleaseChanges, RuntimeRig } from '../contract.ts';
import type { FolderRelease } from '../runtime.ts';
import { createProcessRuntime, type ProcessRuntimeOptions } from './process-runtime.ts';
import { signalProcess } from '../../host/processes.ts';
import { endTree } from '../../host/process-tree.ts';
import { runtimePaths } from '../records/paths.ts';
import { type InstanceRecord, readRecord, processTreeOf, writeRecord } from './state-file.ts';

export const supervisorProgram = bundledProgram(join(import.meta.dirname, 'supervisor.ts'), 'supervisor');
export const runningUntilEnded = 'setInterval(() => {}, 1000)';

export interface ProcessRig extends RuntimeRig {
  release: (program: string, changes?: ReleaseChanges & { command?: string }) => FolderRelease;
  folder: string;
  options: ProcessRuntimeOptions;
  /** Folder and record of an instance, and a replacement for its record. */
  instanceFolder: (deploymentId?: string) => string;
  record: (deploymentId?: string) => InstanceRecord;
  setRecord: (record: InstanceRecord) => void;
  lines: (deploymentId?: string) => Promise<string[]>;
}

/** The process runtime in its own folder, with a few ports. */
export function processRig(folder: string, firstPort: number, more: Partial<ProcessRuntimeOptions> = {}): ProcessRig {
  const portRange = { from: firstPort, to: firstPort + 9 };
  const options: ProcessRuntimeOptions = {
    folder: join(folder, 'processes'),
    instanceId: 'ins_ours',
    program: supervisorProgram,
    portRange,
    isolation: Promise.resolve(
      process.getuid?.() === 0
        ? { kind: 'users', processLimit: 2048, privateTmp: { readable: [] } }
        : { kind: 'none', reason: null },
    ),
    ...more,
  };
  // Apps run as users of their own, which must be able to enter the folder.
  chmodSync(folder, 0o711);
  const again = () => createProcessRuntime(options);
  const places = runtimePaths(options.folder, options.instanceId);
  const instanceFolder = (id = 'dep_1') => places.instance(places.key(id, 'app'));
  const runtime = again();
  return {
    folder: options.folder,
    options,
    instanceFolder,
    record: (id) => readRecord(instanceFolder(id))!,
    setRecord: (record) => writeRecord(instanceFolder(record.owner.deploymentId), record),
    lines: async (id = 'dep_1') => (await runtime.logs(id, {})).map(({ line }) => line),
    runtime,
    again,
    stranger: () => createProcessRuntime({ ...options, instanceId: 'ins_stranger' }),
    release(program, { owner, folderName = 'release', ...changes } = {}) {
      const release = join(folder, folderName);
      mkdirSync(release, { recursive: true });
      const file = `app-${owner?.deploymentId ?? 'one'}.cjs`.replaceAll(/[^a-z0-9_.-]/g, '');
      writeFileSync(join(release, file), program);
      return {
        kind: 'folder',
        folder: release,
        command: `node ${file}`,
        env: {},
        secretKeys: [],
        user: { uid: 61_007, gid: 61_007 },
        ...changes,
        owner: {
          instanceId: 'ins_ours',
          organizationId: 'org_1',
          projectId: 'prj_1',
          deploymentId: 'dep_1',
          service: 'app',
          fence: 1,
          ...owner,
        },
      };
    },
    close: () => endEverything(options.folder),
  };
}

/** Uses the records alone, for whatever a test has left: supervisors first, so that nothing is restarted. */
async function endEverything(folder: string): Promise<void> {
  const places = runtimePaths(folder, '');
  const records = places.keys().flatMap((key) => readRecord(places.instance(key)) ?? []);
  for (const { supervisor } of records) signalProcess(supervisor, 'SIGKILL');
  await Promise.all(records.map((record) => endTree(processTreeOf(record), 0)));
}
