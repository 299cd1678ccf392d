import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { selfSigned } from './certificate.ts';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

/** A real certificate authority on loopback, with a name server of its own that knows every name. */
export interface Pebble {
  directory: string;
  /** What the authority itself is known by. */
  caFile: string;
  /** `127.0.0.1:<port>`, for `MOORING_DNS_SERVERS`. */
  dnsServer: string;
  /** The certificate that it issues everything under, in PEM. */
  root(): Promise<string>;
  /** Says where a name leads; every other one leads to 127.0.0.1. An empty list: nowhere. */
  lead(name: string, addresses: string[]): Promise<void>;
  /** Orders that it has taken so far. */
  orders(): number;
  /** Ends the authority; the name server goes on. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

type Options = {
  /** Where it asks names for their proof: that of the edge. */
  httpPort: number;
  /** Percent of the nonces that it refuses for no reason. */
  nonceReject?: number;
  /** Seconds that its certificates are good for. */
  validity?: number;
  /** Names that it issues nothing for. */
  blocked?: string[];
  /** Whether it lets those in alone who have a key of this table. */
  bindings?: Record<string, string>;
  /** Seconds that it takes its time before it asks a name, at most. */
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
    // Otherwise a proof from before may be good enough.
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
      // It would add them to those that it has.
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

/** Its certificate is nobody's concern here. */
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
