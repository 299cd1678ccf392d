import { formatBytes, type Schemas } from '@mooring/client';
import { aligned, plainText, shortTime } from '../output.ts';
import type { Server } from './find.ts';

type Check = Schemas['ServerCheck'];

const rights = {
  root: 'root',
  sudo: 'sudo without a password',
  none: 'an ordinary user',
};

/** A server, one fact per line. */
export function serverLines({ kind, host, port, user, ...server }: Server): string {
  const { publicKey, hasPassword, hasPassphrase, lastCheck } = server;
  const signIn = hasPassword ? 'password' : hasPassphrase ? 'private key with a passphrase' : 'private key';
  const ofSsh = [
    ['Address', host],
    ['User', user],
    ['SSH port', String(port)],
    ['Sign-in', signIn],
    ['Public key', publicKey],
    ['Host key', server.hostKeyFingerprint ?? 'none; pinned at the first connection'],
    ['Base domain', server.baseDomain],
    ['Edge ports', `${server.edgePort ?? 80} (HTTP), ${server.edgeTlsPort ?? 443} (HTTPS)`],
  ] as const;
  const facts = [
    ['ID', server.id],
    ['Name', server.name],
    ...(kind === 'this_machine' ? ([['Address', 'this machine']] as const) : ofSsh),
    [
      'Last test',
      lastCheck ? `${lastCheck.ok ? 'ok' : lastCheck.reason}, ${shortTime(server.lastCheckedAt)}` : 'never',
    ],
  ] as const;
  return facts
    .filter(([, value]) => value !== null)
    .map(([name, value]) => aligned([name, plainText(value ?? '')], ['Base domain'.length]))
    .join('\n');
}

/** The results of a test, one per line. */
export function checkLines(name: string, check: Check): string {
  const { system, architecture, latencyMs, engine, disk } = check;
  return [
    `${name} responds in ${latencyMs} ms.`,
    `System:  ${system}, ${architecture}`,
    `Rights:  ${check.rights ? rights[check.rights] : 'unknown'}`,
    `Engine:  ${engine?.version ? `Docker ${engine.version}${swarmOf(engine.swarm)}` : `none (${engine?.reason})`}`,
    ...(disk
      ? [`Disk:    ${formatBytes(disk.freeBytes)} of ${formatBytes(disk.totalBytes)} free at ${disk.path}`]
      : []),
  ]
    .map(plainText)
    .join('\n');
}

const swarmOf = (swarm: NonNullable<Check['engine']>['swarm']): string =>
  !swarm ? '' : swarm.isManager ? `, manages a Swarm (nodes: ${swarm.nodes ?? 1})` : ', a worker of a Swarm';
