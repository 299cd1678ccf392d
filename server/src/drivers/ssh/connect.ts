import ssh2, { type Client, type ConnectConfig, type ServerHostKeyAlgorithm } from 'ssh2';
import { connectOutbound, OutboundError } from '../../lib/outbound.ts';
import { OpenConnection } from './connection.ts';
import { reuseKeyObjects, corkWrites } from './ssh2-speedups.ts';
import { openPrivateKey } from './private-key.ts';
import { type SshConnection, SshError, type SshTarget } from './ssh.ts';

// A server that disappeared is detected after three of these.
const keepAliveMs = 10_000;
const keepAliveMisses = 3;

/** Connects and authenticates. */
export async function connectSsh(
  target: SshTarget,
  { deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal },
): Promise<SshConnection> {
  const { privateKey, passphrase } = target;
  const end = Date.now() + deadlineMs;
  const leftMs = () => Math.max(1, end - Date.now());
  // Before connecting: an unreadable key is the caller's mistake.
  const key = privateKey === undefined ? undefined : await openPrivateKey(privateKey, passphrase);
  signal?.throwIfAborted();
  const sock = await connectOutbound(target, { deadlineMs: leftMs(), ...(signal && { signal }) }).catch(
    (error: unknown) => {
      throw error instanceof OutboundError ? new SshError(error.code, error.message, { cause: error }) : error;
    },
  );
  const client = new ssh2.Client();
  reuseKeyObjects(client);
  let shown: string | undefined;
  const config: ConnectConfig = {
    sock: corkWrites(sock),
    username: target.user,
    ...(target.password !== undefined && { password: target.password, tryKeyboard: true }),
    ...(key && { privateKey: key.plain }),
    readyTimeout: 0,
    keepaliveInterval: keepAliveMs,
    keepaliveCountMax: keepAliveMisses,
    ...(target.hostKey !== undefined && { algorithms: { serverHostKey: knownFirst(target.hostKey) } }),
    hostVerifier: (key: Buffer) => {
      shown = hostKeyText(key);
      return target.hostKey === undefined || target.hostKey === shown;
    },
  };
  // Servers with keyboard-interactive authentication get the password too.
  client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) =>
    finish(prompts.map(() => target.password ?? '')),
  );
  await ready(client, config, { target, leftMs: leftMs(), signal }, () => shown);
  return new OpenConnection(client, shown!);
}

type Wait = { target: SshTarget; leftMs: number; signal: AbortSignal | undefined };

function ready(client: Client, config: ConnectConfig, wait: Wait, shown: () => string | undefined): Promise<void> {
  const { target, leftMs, signal } = wait;
  const where = `${target.host}:${target.port}`;
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      act();
    };
    const giveUp = (error: Error) =>
      settle(() => {
        // Later errors no longer matter.
        client.on('error', () => {});
        client.destroy();
        reject(error);
      });
    const onAbort = () => giveUp(signal!.reason as Error);
    const timer = setTimeout(
      () => giveUp(new SshError('timeout', `${where} did not accept the sign-in in time`)),
      leftMs,
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    client.once('ready', () => settle(resolve));
    client.once('error', (error) => giveUp(inWords(error, target, where, shown())));
    client.once('close', () =>
      giveUp(new SshError('unreachable', `${where} closed the connection before the sign-in`)),
    );
    client.connect(config);
  });
}

function inWords(
  error: Error & { level?: string },
  target: SshTarget,
  where: string,
  shown: string | undefined,
): Error {
  if (shown !== undefined && target.hostKey !== undefined && shown !== target.hostKey)
    return new SshError(
      'host_key_changed',
      `${where} presents a different host key: the machine was reinstalled, or somebody intercepts the connection`,
    );
  if (error.level === 'client-authentication')
    return new SshError(
      'auth_failed',
      `${where} rejects ${target.user} with these credentials; ${whatToCheck(target)}`,
    );
  return new SshError('unreachable', `${where} cannot speak SSH with Mooring: ${error.message}`, { cause: error });
}

const whatToCheck = ({ user, privateKey }: SshTarget): string =>
  privateKey === undefined
    ? 'check the user and the password, and that the server allows passwords'
    : `check the user, and that the public key is in ~/.ssh/authorized_keys of ${user}`;

const ecdsa = ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'] as const;
const hostKeyTypes = ['ssh-ed25519', ...ecdsa, 'rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] as const;

/** A server has several host keys and presents the requested type: prefer the known one, even if it has others by
 * now. */
function knownFirst(hostKey: string): ServerHostKeyAlgorithm[] {
  const [type] = hostKey.split(' ');
  const isKnown = (each: string) => each === type || (type === 'ssh-rsa' && each.startsWith('rsa-'));
  return [...hostKeyTypes.filter(isKnown), ...hostKeyTypes.filter((each) => !isKnown(each))];
}

/** Formats the key as in a known_hosts file. */
function hostKeyText(key: Buffer): string {
  const length = key.readUInt32BE(0);
  return `${key.toString('latin1', 4, 4 + length)} ${key.toString('base64')}`;
}
