import { localReadOnly } from '../../../drivers/host/local-read-only.ts';
import type { ReadOnlyFiles } from '../../../drivers/host/read-only-files.ts';
import { withRemoteReadOnly } from '../../../drivers/host/remote-read-only.ts';
import { EngineClient, engineAt } from '../../../drivers/runtime/docker/engine/client.ts';
import { engineOverSsh } from '../../../drivers/runtime/docker/engine/over-ssh.ts';
import type { SshConnection } from '../../../drivers/ssh/ssh.ts';
import type { ServerAccess } from '../../servers/port.ts';
import { engineReason, inspectionFailed } from './failures.ts';

/** A connected machine: its engine and access to its files. */
export interface ScannedMachine {
  client: EngineClient;
  signal: AbortSignal;
  withFiles<T>(task: (files: ReadOnlyFiles) => Promise<T>): Promise<T>;
}

type Options = { dockerHost: string; deadlineMs: number };

/**
 * Connects to a machine for the duration of the task, over a single connection. Engine failures become a 502 with the
 * reason.
 */
export async function withScannedMachine<T>(
  access: ServerAccess,
  { dockerHost, deadlineMs }: Options,
  task: (machine: ScannedMachine) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const over = new AbortController();
  const signal = AbortSignal.any([deadline, over.signal]);
  try {
    if (access.kind === 'this_machine') return await lookHere(dockerHost, signal, task);
    return await access.use((connection) => lookThere(connection, signal, task), { signal });
  } catch (error) {
    throw inspectionFailed(error, deadline, deadlineMs);
  } finally {
    // Cancels queued requests after a failure.
    over.abort();
  }
}

async function lookHere<T>(dockerHost: string, signal: AbortSignal, task: (machine: ScannedMachine) => Promise<T>) {
  const client = new EngineClient(engineAt(dockerHost));
  try {
    return await task({ client, signal, withFiles: (look) => look(localReadOnly) });
  } finally {
    client.close();
  }
}

async function lookThere<T>(
  connection: SshConnection,
  signal: AbortSignal,
  task: (machine: ScannedMachine) => Promise<T>,
): Promise<T> {
  const client = new EngineClient(engineOverSsh((use) => use(connection)));
  try {
    return await task({ client, signal, withFiles: (look) => withRemoteReadOnly(connection, signal, look) });
  } catch (error) {
    throw await engineReason(error, connection, signal);
  } finally {
    client.close();
  }
}
