import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:tls';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ProcessEnvironment } from '../../areas/instance/port.ts';
import type { Config } from '../../config.ts';
import { httpGet } from '../../lib/http/get.ts';
import { type DoctorCheck, type DoctorFinding, okFinding, problemFinding, warningFinding } from './finding.ts';

const run = promisify(execFile);
const day = 86_400_000;

/** The names that lead to this machine. */
export const checkDns: DoctorCheck = async ({ config }) => {
  const names: [check: string, name: string][] = [];
  const dashboard = config.publicUrl && new URL(config.publicUrl).hostname;
  if (dashboard) names.push(['DNS of the dashboard', dashboard]);
  if (config.baseDomain !== 'localhost') names.push(['DNS of apps', `mooring-doctor.${config.baseDomain}`]);
  return Promise.all(names.map(([check, name]) => checkName(check, name, config)));
};

async function checkName(check: string, name: string, { publicAddresses }: Config): Promise<DoctorFinding> {
  const found = await lookup(name, { all: true }).catch(() => []);
  const shown = found.map(({ address }) => address).join(', ');
  const record = name.startsWith('mooring-doctor.') ? name.replace('mooring-doctor', '*') : name;
  if (!found.length)
    return problemFinding(
      check,
      `${name} has no address`,
      `create an A record of ${record} with the address of this machine`,
    );
  const own = new Set(
    publicAddresses ?? Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []),
  );
  if (found.some(({ address }) => own.has(address))) return okFinding(check, `${record} leads to ${shown}`);
  const fix = `correct the A record of ${record}, or set MOORING_PUBLIC_ADDRESSES if this machine is behind a router`;
  return warningFinding(check, `${record} leads to ${shown}, which is no address of this machine`, fix);
}

/** The certificate that visitors of the dashboard get. */
export const checkDashboardCertificate: DoctorCheck = async ({ config }) => {
  const check = 'dashboard certificate';
  if (!config.publicUrl?.startsWith('https:')) {
    const fix = 'set MOORING_PUBLIC_URL=https://...';
    return config.publicUrl ? [warningFinding(check, 'the dashboard has no HTTPS', fix)] : [];
  }
  const { hostname, port } = new URL(config.publicUrl);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port || 443),
      servername: hostname,
      rejectUnauthorized: false,
      timeout: 5000,
    });
    const end = (finding: DoctorFinding) => {
      socket.destroy();
      resolve([finding]);
    };
    socket.once('timeout', () =>
      end(problemFinding(check, `${config.publicUrl} does not answer`, 'open port 443 in the firewall')),
    );
    socket.once('error', (error) =>
      end(problemFinding(check, `${config.publicUrl} is not reachable: ${error.message}`, 'journalctl -u mooring')),
    );
    socket.once('secureConnect', () => {
      const left = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / day);
      if (!socket.authorized)
        return end(
          problemFinding(
            check,
            `browsers do not trust it: ${String(socket.authorizationError)}`,
            'journalctl -u mooring',
          ),
        );
      if (left < 14) return end(warningFinding(check, `it expires in ${left} days`, 'journalctl -u mooring'));
      return end(okFinding(check, `it is valid for ${left} days`));
    });
  });
};

/** Certificates and sign-ins need the right time. */
export const checkClock: DoctorCheck = async ({ config, environment }) => {
  const check = 'clock';
  const url = config.acmeDirectory === 'none' ? undefined : config.acmeDirectory;
  const skew = url === undefined ? undefined : await skewAgainst(url, environment);
  const fix = 'timedatectl set-ntp true';
  if (skew === undefined) {
    const synchronized = await run('timedatectl', ['show', '--property=NTPSynchronized', '--value']).then(
      ({ stdout }) => stdout.trim() === 'yes',
      () => undefined,
    );
    if (synchronized) return [okFinding(check, 'it is synchronized')];
    return [
      warningFinding(
        check,
        synchronized === false ? 'it is not synchronized' : 'it could not be compared with another one',
        fix,
      ),
    ];
  }
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (seconds > 60) return [problemFinding(check, `it is ${seconds} s ${skew > 0 ? 'ahead' : 'behind'}`, fix)];
  return [seconds > 5 ? warningFinding(check, `it is ${seconds} s off`, fix) : okFinding(check, 'it is correct')];
};

async function skewAgainst(url: string, environment: ProcessEnvironment): Promise<number | undefined> {
  try {
    const began = Date.now();
    const signal = AbortSignal.timeout(5000);
    const response = await httpGet(new URL(url), { method: 'HEAD', environment, signal, stalledMs: 5000 });
    response.resume();
    const then = Date.parse(response.headers.date ?? '');
    // The header has whole seconds, and was written half a round trip ago.
    return Number.isNaN(then) ? undefined : (began + Date.now()) / 2 - (then + 500);
  } catch {
    return undefined;
  }
}
