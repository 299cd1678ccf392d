import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EdgeNotRunningError } from '../builtin/control/client.ts';
import { controlledEdge } from '../builtin/control/edge.ts';
import type { Edge, EdgeProject } from '../edge.ts';
import { EdgeContainer } from './container.ts';
import type { EdgeRelay } from './container-body.ts';
import { removeImage } from './image.ts';
import { dataFolder } from './container-paths.ts';
import { type EdgePrograms, ServerPrograms } from './programs.ts';
import { RemoteControl } from './remote-control.ts';
import { type StarterLog, ServerStarter } from './server-starter.ts';
import { ServerSites, siteNameAt } from './sites.ts';

export type { EdgePrograms } from './programs.ts';

/** How the edge treats those who connect to it. */
export interface EdgeClients {
  trustedProxies: readonly string[];
  /** Concurrent requests of one address. */
  perAddress: number;
}

export interface ServerEdgeOptions {
  /** Engine of the server. The caller closes it. */
  engine: EngineClient;
  instanceId: string;
  settings: {
    /** Listening address on the server. */
    host: string;
    port: number;
    tlsPort: number;
    /** Public port when a proxy or NAT is in front; null: the listening port itself. */
    publicPort: number | null;
    publicTlsPort: number | null;
  };
  /** Undefined: keep what the running edge has. */
  clients?: EdgeClients | undefined;
  bundle: EdgePrograms;
  report: StarterLog;
  /** Set if the edge is in a network of its own; the caller connects its container to others. */
  published?: {
    socketFolder?: string;
    relay?: EdgeRelay;
    /** Called with a new container before it serves, and whenever the edge is looked after. */
    joinNetworks: () => Promise<void>;
  };
  /** How long unused sites are kept, and how often they are swept. */
  sweeping?: { unusedMs: number; everyMs: number };
}

/** An edge on another server. */
export interface ServerEdge extends Edge {
  /** Closes the connection to the edge. It keeps serving. */
  close(): void;
  /** Stops the edge and removes everything it has on the server. */
  dismantle(): Promise<void>;
}

const usualSweeping = { unusedMs: 600_000, everyMs: 60_000 };

/** Returns the driver of our own edge in a container of another server, reached only through that server's container
 * engine. */
export function createServerEdge(options: ServerEdgeOptions): ServerEdge {
  const { engine, instanceId, bundle, report, sweeping = usualSweeping } = options;
  const { host, port, ...ports } = options.settings;
  const container = new EdgeContainer(engine, instanceId);
  const control = new RemoteControl(engine, container.name, async () => [
    ...(await container.command()),
    'bridge',
    '--instance',
    instanceId,
  ]);
  const programs = new ServerPrograms(bundle, container, control);
  const sites = new ServerSites(container, control);
  const { published } = options;
  const { tlsPort } = ports;
  const plan = { instanceId, host, port, ...(published && { published: { ...published, tlsPort } }) };
  const starter = new ServerStarter({
    engine,
    container,
    control,
    programs,
    plan,
    execPath: bundle.execPath,
    report,
    onCreated: async () => published?.joinNetworks(),
  });
  const settings = { dataDir: dataFolder, instanceId, host: published ? '0.0.0.0' : host, port };
  const edge = controlledEdge({ kind: 'server', client: control, starter, settings, ports, ...options.clients });
  let sweptAt = 0;

  /** Starts an edge that is not running, then retries once. */
  async function again<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EdgeNotRunningError)) throw error;
      await edge.ensure();
      return work();
    }
  }

  /** Runs in the background. */
  function sweep(projects: EdgeProject[]): void {
    if (Date.now() - sweptAt < sweeping.everyMs) return;
    sweptAt = Date.now();
    const targets = projects.flatMap(({ routes }) => routes.map(({ target }) => target));
    const used = targets.flatMap((target) => (target.type === 'static' ? (siteNameAt(target.folder) ?? []) : []));
    control
      .ask('sweep', [{ sites: [...new Set(used)], programs: [programs.name()] }, sweeping.unusedMs])
      .catch((error: unknown) => report('unused files of the edge on the server were not removed', error));
  }

  return {
    ...edge,
    async ensure(onTransfer = () => {}) {
      await starter.telling(onTransfer, () => edge.ensure());
      await published?.joinNetworks();
    },
    async point(project) {
      await edge.point(await again(() => sites.send(project)));
    },
    async list() {
      const projects = await edge.list();
      sweep(projects);
      return again(() => Promise.all(projects.map((each) => sites.recall(each))));
    },
    // This edge cannot reach the service; challenge responses are stored beforehand.
    answerChallengesAt: async () => {},
    close: () => control.close(),
    dismantle: () =>
      starter.alone(async () => {
        await container.remove();
        await removeImage(engine, await starter.image());
      }),
  };
}
