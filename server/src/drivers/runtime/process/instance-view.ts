import type { Instance, InstanceState } from '../runtime.ts';
import { type InstanceRecord, stateFile } from './state-file.ts';
import { appAlive, supervisorAlive } from './supervisor-process.ts';

/** Combines the record with the processes that are alive now. */
export function processView(key: string, record: InstanceRecord, folder: string): Instance {
  const alive = appAlive(record);
  const orphan = alive && !supervisorAlive(record);
  return {
    id: key,
    owner: record.owner,
    state: stateOf(record, alive),
    host: record.host,
    port: record.port,
    ...(record.ignoresPort && { ignoresPort: true }),
    listener: record.uid === undefined ? { stateFile: stateFile(folder) } : { uid: record.uid },
    startedAt: record.startedAt,
    restarts: record.restarts,
    exitCode: record.exitCode,
    exitSignal: record.exitSignal,
    ...(alive && { pid: record.app!.pid }),
    ...(orphan && { isOrphan: true }),
    notices: orphan ? [...record.notices, orphanNotice] : record.notices,
  };
}

const orphanNotice =
  'Its supervisor is gone: until a new one starts, the app is not restarted when it exits and its output is lost.';

function stateOf(record: InstanceRecord, alive: boolean): InstanceState {
  if (alive) return 'running';
  return supervisorAlive(record) && record.status !== 'stopped' ? 'restarting' : 'exited';
}
