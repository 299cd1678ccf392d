import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { selectCertificates } from '../../areas/domains/port.ts';
import type { Database } from '../../db/database.ts';
import { listeningOn } from '../../drivers/host/listening-sockets.ts';
import { readNotice } from '../../lib/data-dir.ts';
import { type DoctorCheck, type DoctorFinding, okFinding, problemFinding, warningFinding } from './finding.ts';

/** Who holds the ports of the service and the edge. */
export const checkPorts: DoctorCheck = async ({ config, database }) => {
  const { host, port, edgeHost, edgePort, edgeTlsPort, edgePublicPort, edgePublicTlsPort } = config;
  const wanted = [
    { check: 'dashboard port', host, port, program: /\bmain\.js\b/, setting: 'PORT' },
    { check: 'HTTP port', host: edgeHost, port: edgePort, program: /\bedge\.cjs\b/, setting: 'MOORING_EDGE_PORT' },
    {
      check: 'HTTPS port',
      host: edgeHost,
      port: edgeTlsPort,
      program: /\bedge\.cjs\b/,
      setting: 'MOORING_EDGE_TLS_PORT',
      isUnused: !(await hasCertificate(database)),
    },
  ];
  const findings: DoctorFinding[] = [];
  for (const each of wanted) if (each.port) findings.push(await checkPort(each));
  for (const [at, own] of [
    [edgePublicPort ?? 80, edgePort],
    [edgePublicTlsPort ?? 443, edgeTlsPort],
  ] as const) {
    if (at === own) continue;
    const holder = await holderOf('0.0.0.0', at);
    if (holder) findings.push(okFinding(`port ${at}`, `${holder.name} listens on port ${at}`));
    else if (config.baseDomain !== 'localhost')
      findings.push(
        warningFinding(
          `port ${at}`,
          `nothing listens on port ${at}, and the edge is on ${own}`,
          `forward port ${at} to ${own}, or let the edge listen on ${at}`,
        ),
      );
  }
  return findings;
};

const hasCertificate = async (database: Database | undefined): Promise<boolean> =>
  database !== undefined && (await selectCertificates(database.db)).length > 0;

/** `isUnused`: nothing needs it yet. */
type Wanted = { check: string; host: string; port: number; program: RegExp; setting: string; isUnused?: boolean };

async function checkPort({ check, host, port, program, setting, isUnused }: Wanted): Promise<DoctorFinding> {
  const holder = await holderOf(host, port);
  if (!holder && isUnused) return okFinding(check, `the edge opens ${host}:${port} with the first certificate`);
  if (!holder)
    return problemFinding(
      check,
      `nothing listens on ${host}:${port}`,
      `systemctl start mooring; if it runs, give this command the same ${setting}`,
    );
  // The owner of a process of another user is not known without root.
  if (holder.command === undefined)
    return warningFinding(check, `a process of another user listens on ${host}:${port}`, 'sudo mooring doctor');
  if (program.test(holder.command)) return okFinding(check, `Mooring listens on ${host}:${port}`);
  return problemFinding(check, `${holder.name} has port ${port}`, `stop it, or set ${setting} to another port`);
}

type Holder = { name: string; command: string | undefined };

/** Returns the process that listens; undefined if none does. */
async function holderOf(host: string, port: number): Promise<Holder | undefined> {
  const sockets = await listeningOn(host, port);
  const [socket] = sockets.length || host !== '0.0.0.0' ? sockets : await listeningOn('127.0.0.1', port);
  if (!socket) return undefined;
  const pid = pidOf(socket.inode);
  if (pid === undefined) return { name: `a process of user ${socket.uid}`, command: undefined };
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  return { name: `${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()} (process ${pid})`, command };
}

function pidOf(inode: string): string | undefined {
  return readdirSync('/proc').find((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`);
    } catch {
      // It ended meanwhile, or belongs to another user.
      return false;
    }
  });
}

/** Whether the service answers. */
export const checkService: DoctorCheck = async ({ config }) => {
  const notice = readNotice(config.dataDir);
  const start = 'systemctl start mooring; journalctl -u mooring';
  if (!notice?.url) return [problemFinding('service', 'the service does not run', start)];
  try {
    const response = await fetch(new URL('/api/health', notice.url), { signal: AbortSignal.timeout(5000) });
    const { version } = (await response.json()) as { version: string };
    return [okFinding('service', `Mooring ${version} runs at ${notice.url}`)];
  } catch (error) {
    return [
      problemFinding('service', `the service does not answer at ${notice.url}: ${(error as Error).message}`, start),
    ];
  }
};
