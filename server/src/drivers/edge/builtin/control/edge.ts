import { isDeepStrictEqual } from 'node:util';
import type { Edge, EdgeProject, EdgeTraffic } from '../../edge.ts';
import { edgeUrl } from '../../url.ts';
import { type ControlTransport, EdgeNotRunningError } from './client.ts';
import { type EdgeSettings, type Hello, type EdgePortSettings, protocolVersion } from '../protocol.ts';

/** Starts, replaces and stops an edge where it runs. */
export interface EdgeStarter {
  /** Returns the fingerprint of the program that should run. */
  program(): string;
  /** Checks the preconditions before the first call to the edge. */
  prepare?(): Promise<void>;
  /** Runs `work` while nobody else starts or stops an edge there. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Starts an edge where none runs. The edge serves when this resolves. */
  start(): Promise<void>;
  /** Replaces the running edge with the current program without losing a request. */
  handOver(): Promise<void>;
  end(): Promise<void>;
  /** Location of the log, for error messages. */
  log: string;
}

type Parts = {
  kind: string;
  client: ControlTransport;
  starter: EdgeStarter;
  settings: EdgeSettings;
  ports: EdgePortSettings;
  /** Undefined: keep what the running edge has. */
  trustedProxies?: readonly string[] | undefined;
  perAddress?: number | undefined;
  workers?: number | undefined;
};

/** Returns the driver of our own edge, wherever it runs: `client` reaches it, `starter` starts and stops it. */
export function controlledEdge(parts: Parts): Edge {
  const { kind, client, starter, settings, ports, trustedProxies, perAddress, workers } = parts;
  const { publicPort, publicTlsPort } = ports;
  let { port } = settings;
  let { tlsPort } = ports;
  let ensuring: Promise<void> | undefined;
  let watching: Promise<void> | undefined;

  const fits = (hello: Hello | null): boolean =>
    hello !== null &&
    hello.instanceId === settings.instanceId &&
    hello.protocol === protocolVersion &&
    hello.program === starter.program() &&
    listensWhereItShould(hello);

  const listensWhereItShould = (hello: Hello) =>
    hello.host === settings.host && (settings.port === 0 || hello.port === settings.port);

  async function bringUp(): Promise<void> {
    await starter.prepare?.();
    const found = await client.hello();
    if (fits(found)) await settle(found!);
    else await starter.alone(startOrReplace);
  }

  /** A running edge may have other ports and proxies configured. */
  async function settle(found: Hello): Promise<void> {
    let hello = found;
    if (!isDeepStrictEqual(hello.ports, ports)) {
      await client.call('PUT', '/ports', ports);
      hello = (await client.hello()) ?? found;
    }
    if (trustedProxies && !isDeepStrictEqual(hello.trustedProxies ?? [], trustedProxies))
      await client.call('PUT', '/trusted-proxies', { ranges: trustedProxies });
    if (perAddress !== undefined && hello.perAddress !== perAddress)
      await client.call('PUT', '/address-limit', { perAddress });
    if (workers !== undefined && hello.workers !== workers) await client.call('PUT', '/workers', { workers });
    port = hello.port;
    tlsPort = hello.tlsPort ?? ports.tlsPort;
  }

  async function startOrReplace(): Promise<void> {
    let found = await client.hello();
    if (!fits(found)) {
      if (found && found.instanceId !== settings.instanceId)
        throw new Error(`process ${found.pid} is the edge of another instance in ${settings.dataDir}; end it first`);
      if (found && listensWhereItShould(found)) {
        await starter.handOver();
      } else {
        if (found) await starter.end();
        await starter.start();
      }
      found = await client.hello();
    }
    if (!found) throw new Error(`the edge exited right after its start; see ${starter.log}`);
    await settle(found);
  }

  const ensure = () => (ensuring ??= bringUp().finally(() => (ensuring = undefined)));

  /** Every call is idempotent, so it is retried once after restarting a dead edge. */
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
    kind,
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
    answerChallenge: async (token, keyAuthorization) =>
      void (await call('PUT', '/challenge-answers', { token, keyAuthorization })),
    traffic: async (sinceMinute) => (await call('GET', `/traffic?since=${sinceMinute}`)) as EdgeTraffic,
    gone: () => (watching ??= client.untilGone().finally(() => (watching = undefined))),
    url: (host, { secure } = { secure: false }) =>
      secure ? edgeUrl('https', host, publicTlsPort ?? tlsPort) : edgeUrl('http', host, publicPort ?? port),
    stop: () => starter.alone(() => starter.end()),
  };
}
