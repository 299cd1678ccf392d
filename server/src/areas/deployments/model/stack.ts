import type { BuiltFolder } from './artifact.ts';
import type { Recipe } from './recipe.ts';
import type { ComposeProject, ComposeService } from '../../../compose/index.ts';

/** Memory in bytes and processors. */
export interface Room {
  memoryBytes: number;
  cpus: number;
}

/** What a deployment is made of; sealed in its row, because variables are filled in. */
export interface Stack {
  project: ComposeProject;
  /** What tells one version of a service from another, by its name: how it is built, from which files, and how it runs. The
   * image of a name at a registry is not in it. */
  digests: Record<string, string>;
  /** What tells one image of a service from another, by its name. Stacks that were read before this was noted have none. */
  images?: Record<string, string>;
  /** Files and folders of the source that containers see (binds, configs, secrets), by their path in the source. Each is kept
   * as it was under the digest of its content; null for a path that the source does not have. */
  contents: Record<string, string | null>;
  /** The same for services that are kept in an older version than the rest, by their name. */
  olderContents?: Record<string, Record<string, string | null>>;
  /** Values that are hidden wherever something is written down. */
  secrets: string[];
  /** How the one service of an app is built and started; undefined where a compose file or a request says what there is. */
  app?: Recipe;
  /** It was taken over with volumes and networks that were there before it, which are its own now. */
  wasAdopted?: true;
}

/** An image of a service, ready to be started. */
export interface ServiceImage {
  /** What a person calls it. */
  image: string;
  imageId: string;
  /** Whether we have built it, and so may remove it. */
  isOwn: boolean;
  bytes: number;
  /** TCP ports that it says it listens on, smallest first. */
  ports: number[];
  /** Paths that it declares as volumes. */
  volumes: string[];
  hasHealthcheck: boolean;
  /** What it starts when its service does not say otherwise. */
  command?: string[];
  /** Where it listens, for an app that we wrote the Dockerfile of. */
  port: number | null;
}

export const changes = ['unchanged', 'create', 'replace', 'remove'] as const;
export type Change = (typeof changes)[number];

export const serviceStatuses = [
  /** Nothing has happened to it yet. */
  'waiting',
  'building',
  'starting',
  'checking',
  /** It serves, in the version of this deployment. */
  'ready',
  /** It serves as before; nothing was to be done. */
  'unchanged',
  /** It ran to its end, as it should. */
  'completed',
  'failed',
  /** Not even tried, because something that it needs has failed. */
  'skipped',
  'removed',
  /** It was changed and went back to how it was. */
  'rolled_back',
] as const;
export type ServiceStatus = (typeof serviceStatuses)[number];

/** How a new version takes the place of the old one. */
export type Strategy = 'start_first' | 'stop_first';

/** Where one service of a deployment stands. All of them are one JSON text in the deployment's row. */
export interface ServiceState {
  name: string;
  status: ServiceStatus;
  /** Null until it is planned. */
  change: Change | null;
  strategy: Strategy | null;
  /** Why it is replaced so and not otherwise, in words. */
  reason: string | null;
  image: ServiceImage | null;
  /** What it is made of instead, for an app as a process and for a site. */
  folder?: BuiltFolder;
  /** It is the one service of an app. */
  isApp?: true;
  /** The deployment whose container serves now; null when none does. */
  runsOf: string | null;
  /** The deployment whose container served before this deployment. */
  before: string | null;
  /** The version that is there has run to its end, as it should. */
  isOver?: boolean;
  /** In a cloud: what it may use in the version of this deployment, and in the version before. */
  room?: Room;
  roomBefore?: Room;
  error: { code: string; message: string; hint: string | null } | null;
}

export const newState = (name: string): ServiceState => ({
  name,
  status: 'waiting',
  change: null,
  strategy: null,
  reason: null,
  image: null,
  runsOf: null,
  before: null,
  error: null,
});

/** For going back to a deployment: its services, with the images of then, as if nothing had happened yet. */
export function startAnew({ stack, states }: { stack: Stack; states: readonly ServiceState[] }) {
  const anew = stack.project.services.map(({ name }): ServiceState => {
    const then = states.find((state) => state.name === name);
    return { ...newState(name), image: then?.image ?? null };
  });
  return { stack, states: anew };
}

export const isBroken = ({ status }: Pick<ServiceState, 'status'>): boolean =>
  status === 'failed' || status === 'skipped';

/** Whether this deployment has put something of its own in place of it. */
export const isSwitched = ({ status }: Pick<ServiceState, 'status'>): boolean =>
  status === 'ready' || status === 'completed';

/** The one service of an app. */
export const appService = 'app';
export const appOf = ({ project }: Pick<Stack, 'project'>): ComposeService =>
  project.services.find(({ name }) => name === appService)!;

/** Whether the deployment is an app; true as well before it is known what it is. */
export const isAppRow = (row: { services: string | null }): boolean =>
  row.services === null || statesOf(row).some(({ isApp }) => isApp);

/** A site has nothing that runs: the edge serves its folder. */
export const isSiteState = ({ folder }: Pick<ServiceState, 'folder'>): boolean =>
  folder !== undefined && folder.site !== null && folder.site !== undefined;

/** What the edge and the runtime know one container of a stack by. */
export const containerKey = (deploymentId: string, service: string): string => `${deploymentId}/${service}`;

export const statesOf = ({ services }: { services: string | null }): ServiceState[] =>
  services === null ? [] : (JSON.parse(services) as ServiceState[]);

export const stackPlace = (row: string) => ({ table: 'deployments', column: 'stack', row });

/** The digest that a path of the source is kept under, as the service has to see it. */
export const contentOf = ({ contents, olderContents }: Stack, service: string, path: string): string | null =>
  (olderContents?.[service] ?? contents)[path] ?? null;

/** Every digest that something of the stack needs. */
export const contentDigests = ({ contents, olderContents }: Stack): string[] =>
  [contents, ...Object.values(olderContents ?? {})].flatMap((each) =>
    Object.values(each).filter((digest) => digest !== null),
  );

/** Folders that containers mount and that the source does not have: whatever is in them is data. */
export const dataFoldersOf = ({ contents }: Pick<Stack, 'contents'>): string[] =>
  Object.entries(contents).flatMap(([path, digest]) => (digest === null ? [path] : []));

export function inOneSentence(broken: readonly ServiceState[]): string {
  const reasons = broken.map(({ name, error }) => `${name}: ${error?.message ?? 'unknown'}`);
  return `${broken.length === 1 ? 'One service' : `${broken.length} services`} failed. ${reasons.join('; ')}`;
}

/** Whether others wait for it to run to its end. */
export const isAwaited = (services: readonly ComposeService[], name: string): boolean =>
  services.some(({ dependsOn }) =>
    dependsOn.some((each) => each.service === name && each.condition === 'service_completed_successfully'),
  );
