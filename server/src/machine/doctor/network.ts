import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:tls';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '../../areas/instance/port.ts';
import type { Config } from '../../config.ts';
import { httpGet } from '../../lib/http/get.ts';
import { type Check, type Finding, ok, problem, warning } from './finding.ts';

const run = promisify(execFile);
const day = 86_400_000;

/** The names that lead to this machine. */
export const checkDns: Check = async ({ config }) => {
  const names: [check: string, name: string][] = [];
  const dashboard = config.publicUrl && new URL(config.publicUrl).hostname;
  if (dashboard) names.push(['DNS of the dashboard', dashboard]);
  if (config.baseDomain !== 'localhost') names.push(['DNS of apps', `mooring-doctor.${config.baseDomain}`]);
  return Promise.all(names.map(([check, name]) => checkName(check, name, config)));
};

async function checkName(check: string, name: string, { publicAddresses }: Config): Promise<Finding> {
  const found = await lookup(name, { all: true }).catch(() => []);
  const shown = found.map(({ address }) => address).join(', ');
  const record = name.startsWith('mooring-doctor.') ? name.replace('mooring-doctor', '*') : name;
  if (!found.length)
    return problem(check, `${name} has no address`, `create an A record of ${record} with the address of this machine`);
  const own = new Set(
    publicAddresses ?? Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []),
  );
  if (found.some(({ address }) => own.has(address))) return ok(check, `${record} leads to ${shown}`);
  const fix = `correct the A record of ${record}, or set MOORING_PUBLIC_ADDRESSES if this machine is behind a router`;
  return warning(check, `${record} leads to ${shown}, which is no address of this machine`, fix);
}

/** The certificate that visitors of the dashboard get. */
export const checkCertificate: Check = async ({ config }) => {
  const check = 'dashboard certificate';
  if (!config.publicUrl?.startsWith('https:')) {
    const fix = 'set MOORING_PUBLIC_URL=https://...';
    return config.publicUrl ? [warning(check, 'the dashboard has no HTTPS', fix)] : [];
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
    const end = (finding: Finding) => {
      socket.destroy();
      resolve([finding]);
    };
    socket.once('timeout', () =>
      end(problem(check, `${config.publicUrl} does not answer`, 'open port 443 in the firewall')),
    );
    socket.once('error', (error) =>
      end(problem(check, `${config.publicUrl} is not reachable: ${error.message}`, 'journalctl -u mooring')),
    );
    socket.once('secureConnect', () => {
      const left = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / day);
      if (!socket.authorized)
        return end(
          problem(check, `browsers do not trust it: ${String(socket.authorizationError)}`, 'journalctl -u mooring'),
        );
      if (left < 14) return end(warning(check, `it expires in ${left} days`, 'journalctl -u mooring'));
      return end(ok(check, `it is valid for ${left} days`));
    });
  });
};

/** Certificates and sign-ins need the right time. */
export const checkClock: Check = async ({ config, environment }) => {
  const check = 'clock';
  const url = config.acmeDirectory === 'none' ? undefined : config.acmeDirectory;
  const skew = url === undefined ? undefined : await skewAgainst(url, environment);
  const fix = 'timedatectl set-ntp true';
  if (skew === undefined) {
    const synchronized = await run('timedatectl', ['show', '--property=NTPSynchronized', '--value']).then(
      ({ stdout }) => stdout.trim() === 'yes',
      () => undefined,
    );
    if (synchronized) return [ok(check, 'it is synchronized')];
    return [
      warning(
        check,
        synchronized === false ? 'it is not synchronized' : 'it could not be compared with another one',
        fix,
      ),
    ];
  }
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (seconds > 60) return [problem(check, `it is ${seconds} s ${skew > 0 ? 'ahead' : 'behind'}`, fix)];
  return [seconds > 5 ? warning(check, `it is ${seconds} s off`, fix) : ok(check, 'it is correct')];
};

async function skewAgainst(url: string, environment: Environment): Promise<number | undefined> {
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
