import { isIP } from 'node:net';
import type { SshPool } from '../../ssh/pool.ts';
import type { SshTarget } from '../../ssh/ssh.ts';
import { type StorageContext, StorageError, type StorageKind, type StorageValues } from '../storage.ts';
import { storageField, requiredValue, textValue } from '../values.ts';
import { createSftpStorage } from './storage.ts';

const usualPort = 22;
const secret = { isSecret: true, type: 'password' } as const;

/** A folder on any SFTP server. */
export const sftpStorageKind: StorageKind = {
  kind: 'sftp',
  label: 'SFTP server',
  help: 'A folder on any server with SFTP, such as a storage box or a NAS.',
  fields: [
    storageField('sshHost', 'Host', 'Host name or IP address.', { isRequired: true, isAddress: true }),
    storageField('sshPort', 'Port', 'Defaults to 22.', {
      type: 'number',
      maxLength: 5,
      isAddress: true,
      usual: usualPort,
    }),
    storageField('sshUser', 'User', 'The user to sign in as.', { isRequired: true, isAddress: true }),
    storageField('sftpPassword', 'Password', 'Needed unless you give a private key.', {
      ...secret,
      maxLength: 1024,
    }),
    storageField('sftpPrivateKey', 'Private key', 'In OpenSSH or PEM format. Needed unless you give a password.', {
      isSecret: true,
      type: 'multiline',
      maxLength: 32_768,
    }),
    storageField('sftpKeyPassphrase', 'Passphrase', 'Passphrase of the private key, if it has one.', {
      ...secret,
      maxLength: 1024,
    }),
  ],
  oneOf: [['sftpPassword', 'sftpPrivateKey']],
  async check(values) {
    const [host, user, port] = [textValue(values, 'sshHost'), textValue(values, 'sshUser'), values['sshPort']];
    if (host !== undefined && !/^[\w.-]+$/.test(host) && !isIP(host.replace(/^\[(.*)\]$/, '$1')))
      return { field: 'sshHost', message: 'must be the name or address of a server, without a port, path or user' };
    if (user !== undefined && !/^[^\p{Cc}\s]+$/u.test(user))
      return { field: 'sshUser', message: 'must be the name of a user' };
    const number = port === undefined || port === '' ? usualPort : Number(port);
    return Number.isInteger(number) && number > 0 && number < 65_536
      ? undefined
      : { field: 'sshPort', message: 'must be a number from 1 to 65535' };
  },
  async open(values, context) {
    const complaint = await this.check(values, context);
    if (complaint) throw new StorageError('misconfigured', `${complaint.field} ${complaint.message}`);
    return openSftp(values, context);
  },
};

/** Opens it with another stall timeout, for tests. */
export function openSftp(values: StorageValues, context: StorageContext, stallMs?: number) {
  const target = targetOf(values, context);
  let pool: Promise<SshPool> | undefined;
  let pinning: Promise<void> | undefined;
  const place = (base: string) =>
    createSftpStorage({
      base,
      stallMs,
      close: async () => (await pool)?.close(),
      use: async (task, { signal }) =>
        (await (pool ??= newPool())).use(
          'target',
          target,
          async (connection) => {
            // Pins the first host key for all later connections.
            if (target.hostKey === undefined) {
              pinning ??= context.onHostKey(connection.hostKey);
              await pinning;
              target.hostKey = connection.hostKey;
            }
            return task(connection);
          },
          { signal },
        ),
    });
  return { ...place(''), fromTop: () => place('/') };
}

/** Loaded on demand. */
const newPool = async (): Promise<SshPool> => new (await import('../../ssh/pool.ts')).SshPool();

function targetOf(values: StorageValues, { hostKey, reach }: StorageContext): SshTarget {
  const [password, privateKey] = [textValue(values, 'sftpPassword'), textValue(values, 'sftpPrivateKey')];
  if (password === undefined && privateKey === undefined)
    throw new StorageError('misconfigured', 'neither sftpPassword nor sftpPrivateKey is set');
  return {
    host: requiredValue(values, 'sshHost'),
    port: Number(values['sshPort'] || usualPort),
    user: requiredValue(values, 'sshUser'),
    password,
    privateKey,
    passphrase: textValue(values, 'sftpKeyPassphrase'),
    hostKey,
    reach,
  };
}
