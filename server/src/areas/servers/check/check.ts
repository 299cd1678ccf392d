import type { ServerTable } from '../../../db/tables.ts';
import { SshError, type SshErrorCode } from '../../../drivers/ssh/ssh.ts';
import type { ServerConnections } from '../connections.ts';
import { inspectMachine } from './inspect-machine.ts';
import { type CheckCode, failedCheck, type ServerCheck } from './outcome.ts';

const codes: Record<SshErrorCode, CheckCode> = {
  unreachable: 'unreachable',
  not_found: 'unreachable',
  refused: 'refused',
  timeout: 'timeout',
  auth_failed: 'auth_failed',
  bad_key: 'misconfigured',
  host_key_changed: 'host_key_changed',
  lost: 'unreachable',
};

/** Opens a new connection and inspects the machine. Problems of the server are a result, not an error. */
export async function checkOverSsh(
  connections: ServerConnections,
  row: ServerTable,
  { connectMs, allMs }: { connectMs: number; allMs: number },
): Promise<ServerCheck> {
  const signal = AbortSignal.timeout(allMs);
  try {
    const target = connections.targetOf(row);
    const { connectSsh } = await import('../../../drivers/ssh/connect.ts');
    const connection = await connectSsh(target, { deadlineMs: connectMs, signal });
    // Ends everything that still uses the connection.
    signal.addEventListener('abort', () => connection.close(), { once: true });
    try {
      await connections.pin(row, connection.hostKey);
      return await inspectMachine(connection, target.user, signal);
    } finally {
      connection.close();
    }
  } catch (error) {
    if (signal.aborted)
      return failedCheck('timeout', `${row.host}:${row.port} did not respond within ${allMs / 1000} s`);
    if (error instanceof SshError) return failedCheck(codes[error.code], reasonOf(error));
    throw error;
  }
}

const reasonOf = ({ code, message }: SshError): string =>
  code === 'host_key_changed'
    ? `${message}. If you reinstalled the machine, send its credentials again with hostKey: null`
    : message;
