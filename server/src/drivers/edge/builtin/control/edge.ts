import { isDeepStrictEqual } from 'node:util';
import type { Edge, EdgeProject, EdgeTraffic } from '../../edge.ts';
import { edgeUrl } from '../../url.ts';
import { type ControlTransport, EdgeNotRunningError } from './client.ts';
import { type EdgeSettings, type Hello, type EdgePorts, protocolVersion } from '../protocol.ts';

/** How an edge is started, exchanged and ended where it runs. */
export interface Starter {
  /** Fingerprint of the program that is to run. */
  program(): string;
  /** What has to be right before the edge is asked for anything. */
  prepare?(): Promise<void>;
  /** Runs while nobody else starts or ends an edge there. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Where none runs. It serves when this returns. */
  start(): Promise<void>;
  /** From the one that runs to the program that is to run, without a lost request. */
  handOver(): Promise<void>;
  end(): Promise<void>;
  /** Where it says what went wrong. */
  log: string;
}

type Parts = {
  kind: string;
  client: ControlTransport;
  starter: Starter;
  settings: EdgeSettings;
  ports: EdgePorts;
  /** Undefined: whatever it was told by somebody else. */
  trustedProxies?: readonly string[] | undefined;
  perAddress?: number | undefined;
};

/** What a driver of our own edge does, wherever the edge runs: `client` reaches it, `starter` brings it about. */
export function controlledEdge({ kind, client, starter, settings, ports, trustedProxies, perAddress }: Parts): Edge {
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

  /** An edge that runs may have been told of other ports and proxies, or of none. */
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
