import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSingleWriter } from '../records/replace-file.ts';
import type { Owner } from '../runtime.ts';
import type { ProcessTree } from '../../host/process-tree.ts';
import type { ProcessId } from '../../host/processes.ts';

/** Persistent state of an instance. Contains no variables. */
export interface InstanceRecord {
  owner: Owner;
  bootId: string;
  host: string;
  port: number;
  supervisor: ProcessId;
  /** Start of an earlier supervisor, for an app that is older than its current one. */
  since?: string;
  /** Leader of the app's process group; null before its first start and between restarts. */
  app: ProcessId | null;
  /** `MOORING_PROCESS=...`, inherited by every process that the app starts. */
  marker: string;
  status: 'starting' | 'running' | 'restarting' | 'stopped';
  startedAt: number | null;
  /** Number of starts for any reason, including adoptions by another supervisor. */
  starts: number;
  /** Number of restarts after an exit. */
  restarts: number;
  exitCode: number | null;
  exitSignal: string | null;
  memoryLimitBytes: number | null;
  /** User id of the app, unless it is the service's own. */
  uid?: number;
  notices: string[];
  /** The app listens on a port of its own choice, which `port` is then. */
  ignoresPort?: true;
}

export const processTreeOf = ({
  app,
  marker,
  supervisor,
  since = supervisor.startTime,
}: InstanceRecord): ProcessTree => ({
  leader: app,
  marker,
  since,
});

export const stateFile = (folder: string): string => join(folder, 'state.json');

export function readRecord(folder: string): InstanceRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(stateFile(folder), 'utf8')) as InstanceRecord;
    const port = followedPort(folder);
    return port === undefined ? record : { ...record, port, ignoresPort: true };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new Error(`${stateFile(folder)} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

const followedFile = (folder: string) => join(folder, 'listens-on');

/** Port on which the app actually listens. Beside the record, which belongs to the supervisor. */
function followedPort(folder: string): number | undefined {
  try {
    return Number(readFileSync(followedFile(folder), 'utf8'));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

export const writeFollowedPort = (folder: string, port: number): void =>
  replaceFileSingleWriter(followedFile(folder), `${port}\n`);

export const writeRecord = (folder: string, record: InstanceRecord): void =>
  replaceFileSingleWriter(stateFile(folder), `${JSON.stringify(record, null, 2)}\n`);
