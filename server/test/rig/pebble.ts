import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { selfSigned } from './certificate.ts';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

/** A real certificate authority on loopback, with its own name server that resolves every name. */
export interface Pebble {
  directory: string;
  /** The CA of the authority's own API. */
  caFile: string;
  /** `127.0.0.1:<port>`, for `MOORING_DNS_SERVERS`. */
  dnsServer: string;
  /** The root certificate that it issues under, as PEM. */
  root(): Promise<string>;
  /** Sets the addresses of a name; all others resolve to 127.0.0.1. An empty list: none. */
  lead(name: string, addresses: string[]): Promise<void>;
  /** Number of orders so far. */
  orders(): number;
  /** Stops the authority; the name server keeps running. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

type Options = {
  /** The port for HTTP-01 challenges: that of the edge. */
  httpPort: number;
  /** Percentage of randomly rejected nonces. */
  nonceReject?: number;
  /** Lifetime of its certificates in seconds. */
  validity?: number;
  /** Names that it refuses. */
  blocked?: string[];
  /** Requires external account binding with one of these keys. */
  bindings?: Record<string, string>;
  /** Maximum delay before a validation, in seconds. */
  sleep?: number;
};

export async function startPebble(options: Options): Promise<Pebble> {
  const folder = newFolder('pebble');
  const dns = await startNameServer(folder);
  const [port, managementPort] = [await freePort(), await freePort()];
  const { key, cert } = selfSigned('127.0.0.1');
  const [caFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(caFile, cert);
  writeFileSync(keyFile, key);
  const settings = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: caFile,
    privateKey: keyFile,
    httpPort: options.httpPort,
    tlsPort: 1,
    externalAccountBindingRequired: options.bindings !== undefined,
    externalAccountMACKeys: options.bindings ?? {},
    domainBlocklist: options.blocked ?? [],
    certificateValidityPeriod: options.validity ?? 90 * 86_400,
  };
  const file = join(folder, 'settings.json');
  writeFileSync(file, JSON.stringify({ pebble: settings }));
  const pebble = start(folder, 'pebble', ['-config', file, '-strict', '-dnsserver', dns.address], {
    ...(options.sleep ? { PEBBLE_VA_SLEEPTIME: String(options.sleep) } : { PEBBLE_VA_NOSLEEP: '1' }),
    PEBBLE_WFE_NONCEREJECT: String(options.nonceReject ?? 0),
    // Otherwise it reuses earlier authorizations.
    PEBBLE_AUTHZREUSE: '0',
  });
  const management = (path: string) => readFrom(`https://127.0.0.1:${managementPort}${path}`);
  const directory = `https://127.0.0.1:${port}/dir`;
  await until('pebble answers', () => readFrom(directory)).catch((error: unknown) => {
    throw new Error(pebble.output(), { cause: error });
  });
  return {
    directory,
    caFile,
    dnsServer: dns.address,
    root: () => management('/roots/0'),
    lead: dns.lead,
    orders: () => pebble.output().match(/Added order /g)?.length ?? 0,
    kill: () => pebble.kill(),
    async stop() {
      await pebble.kill();
      await dns.kill();
    },
  };
}

async function startNameServer(folder: string) {
  const [port, managementPort] = [await freePort(), await freePort()];
  const address = `127.0.0.1:${port}`;
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', ''];
  const listening = ['-dns01', address, '-management', `127.0.0.1:${managementPort}`];
  const server = start(folder, 'pebble-challtestsrv', [...off, ...listening, '-defaultIPv6', '']);
  const post = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${managementPort}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  await until('the name server answers', async () => {
    await post('/clear-a', { host: 'x' });
    return true;
  });
  return {
    address,
    kill: () => server.kill(),
    lead: async (name: string, addresses: string[]) => {
      if (!addresses.length) return post('/set-servfail', { host: name });
      // Otherwise it adds to the existing addresses.
      await post('/clear-a', { host: name });
      return post('/add-a', { host: name, addresses });
    },
  };
}

function start(folder: string, program: string, args: string[], env: Record<string, string> = {}) {
  const file = join(folder, `${program}.log`);
  const log = openSync(file, 'a');
  const child = spawnRecorded(`/usr/bin/${program}`, args, {
    stdio: ['ignore', log, log],
    env: { PATH: '/usr/bin:/bin', ...env },
  });
  closeSync(log);
  return {
    output: () => readFileSync(file, 'utf8'),
    async kill() {
      child.kill('SIGKILL');
      await exited(child);
    },
  };
}

/** Does not verify the certificate. */
function readFrom(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(url, { rejectUnauthorized: false, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.once('end', () => resolve(text));
    });
    call.once('error', reject);
    call.end();
  });
}
