import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { lockFile } from '../../../lib/lock-file.ts';
import type { Edge, EdgeProject, EdgeTraffic } from '../edge.ts';
import { ControlClient, EdgeNotRunningError } from './control-client.ts';
import { type EdgeSettings, filesOf, fingerprint, type Hello, type Ports, protocolVersion } from './protocol.ts';
import { startProcess } from './start-process.ts';

/** The kernel takes 107 bytes, others a few less. */
const longestSocketPath = 100;
const lockMs = 20_000;
const stopMs = 8000;

type Options = EdgeSettings &
  Partial<Ports> & {
    /** The file that the edge runs. */
    program: string;
    /** Addresses and ranges of those in front of it that are believed about for whom they ask. */
    trustedProxies?: readonly string[];
  };

export interface BuiltinEdge extends Edge {
  /** The process that serves now; null when none does. */
  pid(): Promise<number | null>;
}

/** The edge that needs nothing installed: a process of our own, found again by its socket in the data folder. */
export function createBuiltinEdge(options: Options): BuiltinEdge {
  const {
    program,
    trustedProxies = [],
    tlsPort: wantedTlsPort = 0,
    publicPort = null,
    publicTlsPort = null,
    ...settings
  } = options;
  const ports: Ports = { tlsPort: wantedTlsPort, publicPort, publicTlsPort };
  const files = filesOf(settings.dataDir);
  if (Buffer.byteLength(files.socket) > longestSocketPath)
    throw new Error(
      `the path ${files.socket} is too long for a socket (${longestSocketPath} bytes); choose a shorter MOORING_DATA_DIR`,
    );
  const client = new ControlClient(files.socket, settings.instanceId);
  let { port } = settings;
  let tlsPort = wantedTlsPort;
  let ensuring: Promise<void> | undefined;
  let watching: Promise<void> | undefined;

  const fits = (hello: Hello | null): boolean =>
    hello !== null &&
    hello.instanceId === settings.instanceId &&
    hello.protocol === protocolVersion &&
    hello.program === fingerprint(program) &&
    listensWhereItShould(hello);

  const listensWhereItShould = (hello: Hello) =>
    hello.host === settings.host && (settings.port === 0 || hello.port === settings.port);

  async function bringUp(): Promise<void> {
    const found = await client.hello();
    if (fits(found)) await settle(found!);
    else await alone(files.lock, startOrReplace);
  }

  /** An edge that runs may have been told of other ports and proxies, or of none. */
  async function settle(found: Hello): Promise<void> {
    let hello = found;
    if (!isDeepStrictEqual(hello.ports, ports)) {
      await client.call('PUT', '/ports', ports);
      hello = (await client.hello()) ?? found;
    }
    if (!isDeepStrictEqual(hello.trustedProxies ?? [], trustedProxies))
      await client.call('PUT', '/trusted-proxies', { ranges: trustedProxies });
    port = hello.port;
    tlsPort = hello.tlsPort ?? wantedTlsPort;
  }

  async function startOrReplace(): Promise<void> {
    let found = await client.hello();
    if (!fits(found)) {
      if (found && found.instanceId !== settings.instanceId)
        throw new Error(`process ${found.pid} is the edge of another instance in ${settings.dataDir}; end it first`);
      if (found && listensWhereItShould(found)) {
        await client.call('POST', '/hand-over', { execPath: process.execPath, program });
      } else {
        if (found) await end(client);
        const child = await startProcess({ execPath: process.execPath, program, settings });
        child.disconnect();
        child.unref();
      }
      found = await client.hello();
    }
    if (!found) throw new Error(`the edge went away as soon as it had started; see ${files.log}`);
    await settle(found);
  }

  const ensure = () => (ensuring ??= bringUp().finally(() => (ensuring = undefined)));

  /** Every call may be made twice, so an edge that died is started again and asked once more. */
  async function call(method: string, path: string, body?: unknown, withinMs?: number): Promise<unknown> {
    try {
      return await client.call(method, path, body, withinMs);
    } catch (error) {
      if (!(error instanceof EdgeNotRunningError)) throw error;
      await ensure();
      return client.call(method, path, body, withinMs);
    }
  }

  return {
    kind: 'builtin',
    ensure,
    point: async (project) => void (await call('PUT', '/projects', project)),
    remove: async (key) => void (await call('DELETE', `/projects?key=${encodeURIComponent(key)}`)),
    list: async () => (await call('GET', '/projects')) as EdgeProject[],
    drain: async (deploymentId, withinMs) =>
      (await call('POST', '/drain', { deploymentId, withinMs }, withinMs + 10_000)) as number,
    hold: async (deploymentId, times) =>
      (await call('POST', '/hold', { deploymentId, ...times }, times.drainMs + 10_000)) as number,
    held: async () => (await call('GET', '/holds')) as string[],
    resume: async (deploymentId) => void (await call('POST', '/resume', { deploymentId })),
    async useCertificate(certificate) {
      ({ tlsPort } = (await call('PUT', '/certificates', certificate)) as { tlsPort: number });
    },
    removeCertificate: async (host) => void (await call('DELETE', `/certificates?host=${encodeURIComponent(host)}`)),
    certificates: async () => (await call('GET', '/certificates')) as { host: string; fingerprint: string }[],
    answerChallengesAt: async (service) => void (await call('PUT', '/challenges', service)),
    traffic: async (sinceMinute) => (await call('GET', `/traffic?since=${sinceMinute}`)) as EdgeTraffic,
    gone: () => (watching ??= client.untilGone().finally(() => (watching = undefined))),
    url: (host, { secure } = { secure: false }) =>
      secure ? urlOf('https', host, publicTlsPort ?? tlsPort) : urlOf('http', host, publicPort ?? port),
    stop: () => alone(files.lock, () => end(client)),
    pid: async () => (await client.hello())?.pid ?? null,
  };
}

const usualPorts = { http: 80, https: 443 };

/** 0: not known before there is a certificate. */
const urlOf = (scheme: 'http' | 'https', host: string, port: number): string =>
  `${scheme}://${host}${port === 0 || port === usualPorts[scheme] ? '' : `:${port}`}`;

/** Asks the edge to end and waits until it is gone: its end of the connection closes with the process. */
async function end(client: ControlClient): Promise<void> {
  const found = await client.hello();
  if (!found) return;
  try {
    await client.call('POST', '/stop', undefined, stopMs);
  } catch (error) {
    if (error instanceof EdgeNotRunningError) return;
    // It answered a moment ago, so the number is still its own.
    process.kill(found.pid, 'SIGKILL');
  }
}

/** Runs while no other process of this data folder starts or ends an edge. */
async function alone<T>(lockPath: string, work: () => Promise<T>): Promise<T> {
  const end = Date.now() + lockMs;
  for (;;) {
    let busy = false;
    try {
      const lock = lockFile(lockPath, () => {
        busy = true;
        return new Error('another process has been starting or ending the edge for too long');
      });
      return await work().finally(() => lock.release());
    } catch (error) {
      if (!busy || Date.now() > end) throw error;
    }
    await sleep(30);
  }
}
