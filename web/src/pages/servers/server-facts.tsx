import { formatBytes } from '@mooring/client';
import type { ReactNode } from 'react';
import type { Server, ServerCheck } from '../../server-queries.ts';
import { formatDuration } from '../../times.ts';
import { Facts } from '../../ui/facts.tsx';
import { Time } from '../../ui/time.tsx';
import { addressOf } from './address.ts';

const rights = { root: 'root', sudo: 'sudo without a password', none: 'Regular user' };

export function ServerFacts({ server }: { server: Server }) {
  const { lastCheck: check, lastCheckedAt, hostKeyFingerprint, baseDomain } = server;
  const rows: [string, ReactNode][] = [
    ['Address', addressOf(server)],
    ['Signs in with', signInOf(server)],
    ['Host key', hostKeyFingerprint && <code className="font-mono text-[0.8125rem]">{hostKeyFingerprint}</code>],
    ['System', check?.system && [check.system, check.architecture].filter(Boolean).join(', ')],
    ['Rights', check?.rights && rights[check.rights]],
    ['Container engine', check?.engine?.version && `Docker ${check.engine.version}`],
    ['Free disk', check?.disk && diskOf(check.disk)],
    ['Latency', check?.latencyMs ? formatDuration(check.latencyMs) : undefined],
    ['Base domain', baseDomain],
    ['App ports', portsOf(server)],
    ['Last test', lastCheckedAt && <Time at={lastCheckedAt} />],
  ];
  return <Facts rows={rows} />;
}

const diskOf = ({ freeBytes, totalBytes, path }: NonNullable<ServerCheck['disk']>) =>
  `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} at ${path}`;

function signInOf({ kind, hasPassword, hasPrivateKey, hasPassphrase }: Server): string | undefined {
  if (kind === 'this_machine') return undefined;
  const key = hasPassphrase ? 'a key with a passphrase' : 'a key';
  const all = [hasPrivateKey && key, hasPassword && 'a password'].filter(Boolean).join(' and ');
  return all && all.charAt(0).toUpperCase() + all.slice(1);
}

/** Only if they are not the defaults. */
function portsOf({ edgePort, edgeTlsPort }: Server): string | undefined {
  if (edgePort === null && edgeTlsPort === null) return undefined;
  return `${edgePort ?? 80} for HTTP, ${edgeTlsPort ?? 443} for HTTPS`;
}
