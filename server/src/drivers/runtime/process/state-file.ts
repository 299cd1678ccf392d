import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../records/replace-file.ts';
import type { Owner } from '../runtime.ts';
import type { Tree } from '../../host/process-tree.ts';
import type { ProcessId } from '../../host/processes.ts';

/** What is known of an instance, beyond the life of everybody who knows it. It holds no variables. */
export interface InstanceRecord {
  owner: Owner;
  bootId: string;
  host: string;
  port: number;
  supervisor: ProcessId;
  /** Where the app may be older than its supervisor, because it had another one: when that had begun. */
  since?: string;
  /** The leader of the app's process group; null before its first start and between two. */
  app: ProcessId | null;
  /** `MOORING_PROCESS=...`, which everything that the app starts inherits. */
  marker: string;
  status: 'starting' | 'running' | 'restarting' | 'stopped';
  startedAt: number | null;
  /** How often the app was started, for whatever reason, or taken over by another supervisor. */
  starts: number;
  /** How often it was started again because it had ended by itself. */
  restarts: number;
  exitCode: number | null;
  exitSignal: string | null;
  memoryLimitBytes: number | null;
  /** The user that it runs as, where that is not the service's own. */
  uid?: number;
  notices: string[];
}

export const treeOf = ({ app, marker, supervisor, since = supervisor.startTime }: InstanceRecord): Tree => ({
  leader: app,
  marker,
  since,
});

export const stateFile = (folder: string): string => join(folder, 'state.json');

export function readRecord(folder: string): InstanceRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(stateFile(folder), 'utf8')) as InstanceRecord;
    return { ...record, port: followedPort(folder) ?? record.port };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new Error(`${stateFile(folder)} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

const followedFile = (folder: string) => join(folder, 'listens-on');

/** The port on which the app listens instead of the one that it was given. Beside the record, which is the supervisor's. */
function followedPort(folder: string): number | undefined {
  try {
    return Number(readFileSync(followedFile(folder), 'utf8'));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

export const writeFollowedPort = (folder: string, port: number): void => replaceFile(followedFile(folder), `${port}\n`);

export const writeRecord = (folder: string, record: InstanceRecord): void =>
  replaceFile(stateFile(folder), `${JSON.stringify(record, null, 2)}\n`);
