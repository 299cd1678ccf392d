import { SshError, type SshErrorCode } from '../../ssh/ssh.ts';
import { type StorageCode, StorageError } from '../storage.ts';

const ofConnection: Record<SshErrorCode, StorageCode> = {
  unreachable: 'unreachable',
  not_found: 'unreachable',
  refused: 'misconfigured',
  timeout: 'timeout',
  auth_failed: 'auth_failed',
  bad_key: 'misconfigured',
  host_key_changed: 'auth_failed',
  lost: 'unreachable',
};

// Status codes of the protocol; those above 8 are from later versions.
const ofStatus: Record<number, [StorageCode, string]> = {
  2: ['not_found', 'it does not exist'],
  3: ['permission_denied', 'the user has no permission to read or write there'],
  4: ['misconfigured', 'the server failed without a reason'],
  6: ['unreachable', 'the connection was lost'],
  7: ['unreachable', 'the connection was lost'],
  8: ['misconfigured', 'the server does not offer that'],
  12: ['permission_denied', 'the file system is read-only'],
  14: ['no_space', 'the disk is full'],
  15: ['no_space', 'the quota is used up'],
};

/** Returns the server's status code; undefined for other errors. */
export const sftpStatus = (error: unknown): number | undefined => {
  const { code } = error as { code?: unknown };
  return error instanceof Error && !(error instanceof StorageError) && typeof code === 'number' ? code : undefined;
};

export const isFileMissing = (error: unknown): boolean => sftpStatus(error) === 2;

/** Converts an SSH or SFTP error; returns others unchanged. */
export function sftpStorageError(error: unknown, what: string): unknown {
  if (error instanceof SshError) return new StorageError(ofConnection[error.code], error.message, { cause: error });
  const status = sftpStatus(error);
  if (status === undefined) return error;
  const [code, words] = ofStatus[status] ?? ['misconfigured', `the server refuses (status ${status})`];
  const text = (error as Error).message;
  // Servers that only know "failure" mostly add a message.
  if (/space|disk full/i.test(text)) return new StorageError('no_space', `${what}: the disk is full`, { cause: error });
  if (/quota/i.test(text)) return new StorageError('no_space', `${what}: the quota is used up`, { cause: error });
  if (/read-only/i.test(text))
    return new StorageError('permission_denied', `${what}: the file system is read-only`, { cause: error });
  return new StorageError(code, `${what}: ${words}`, { cause: error });
}
