import { z } from 'zod';
import type { ComposeProject, ComposeService } from '../../../compose/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { BuiltFolder } from './built.ts';
import { Recipe } from './recipe.ts';

/** Memory in bytes and processors. */
const Room = z.object({ memoryBytes: z.number(), cpus: z.number() });
export type Room = z.infer<typeof Room>;

/** Only the outline of a compose project is checked: it is large, and `compose/` alone makes it. */
const Project = z.object({
  name: z.string(),
  services: z.array(z.object({ name: z.string() })),
  volumes: z.array(z.object({ name: z.string() })),
  networks: z.array(z.object({ name: z.string() })),
}) as z.ZodType as z.ZodType<ComposeProject, ComposeProject>;

/** What a deployment is made of; sealed in its row, because variables are filled in. */
export const Stack = z.object({
  project: Project,
  /** What tells one version of a service from another, by its name: how it is built, from which files, and how it runs. The
   * image of a name at a registry is not in it. */
  digests: z.record(z.string(), z.string()),
  /** What tells one image of a service from another, by its name. Stacks that were read before this was noted have none. */
  images: z.record(z.string(), z.string()).optional(),
  /** Files and folders of the source that containers see (binds, configs, secrets), by their path in the source. Each is kept
   * as it was under the digest of its content; null for a path that the source does not have. */
  contents: z.record(z.string(), z.string().nullable()),
  /** The same for services that are kept in an older version than the rest, by their name. */
  olderContents: z.record(z.string(), z.record(z.string(), z.string().nullable())).optional(),
  /** Values that are hidden wherever something is written down. */
  secrets: z.array(z.string()),
  /** How the one service of an app is built and started; undefined where a compose file or a request says what there is. */
  app: Recipe.optional(),
  /** It was taken over with volumes and networks that were there before it, which are its own now. */
  wasAdopted: z.literal(true).optional(),
});
export type Stack = z.infer<typeof Stack>;

/** An image of a service, ready to be started. */
const ServiceImage = z.object({
  /** What a person calls it. */
  image: z.string(),
  imageId: z.string(),
  /** Whether we have built it, and so may remove it. */
  isOwn: z.boolean(),
  bytes: z.number(),
  /** TCP ports that it says it listens on, smallest first. */
  ports: z.array(z.number()),
  /** Paths that it declares as volumes. */
  volumes: z.array(z.string()),
  hasHealthcheck: z.boolean(),
  /** What it starts when its service does not say otherwise. */
  command: z.array(z.string()).optional(),
  /** Where it listens, for an app that we wrote the Dockerfile of. */
  port: z.number().nullable(),
});
export type ServiceImage = z.infer<typeof ServiceImage>;

export const serviceChanges = ['unchanged', 'create', 'replace', 'remove'] as const;
export type Change = (typeof serviceChanges)[number];

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
export const strategies = ['start_first', 'stop_first'] as const;
export type Strategy = (typeof strategies)[number];

/** Where one service of a deployment stands. All of them are one JSON text in the deployment's row. */
const ServiceState = z.object({
  name: z.string(),
  status: z.enum(serviceStatuses),
  /** Null until it is planned. */
  change: z.enum(serviceChanges).nullable(),
  strategy: z.enum(strategies).nullable(),
  /** Why it is replaced so and not otherwise, in words. */
  reason: z.string().nullable(),
  image: ServiceImage.nullable(),
  /** What it is made of instead, for an app as a process and for a site. */
  folder: BuiltFolder.optional(),
  /** It is the one service of an app. */
  isApp: z.literal(true).optional(),
  /** The deployment whose container serves now; null when none does. */
  runsOf: z.string().nullable(),
  /** The deployment whose container served before this deployment. */
  before: z.string().nullable(),
  /** The version that is there has run to its end, as it should. */
  isOver: z.boolean().optional(),
  /** In a cloud: what it may use in the version of this deployment, and in the version before. */
  room: Room.optional(),
  roomBefore: Room.optional(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() }).nullable(),
});
export type ServiceState = z.infer<typeof ServiceState>;

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

const readStates = storedJson('deployments.services', z.array(ServiceState));
export const statesOf = ({ services }: { services: string | null }): ServiceState[] => readStates(services) ?? [];

export const stackSealLocation = (row: string) => ({ table: 'deployments', column: 'stack', row });

/** The digest that a path of the source is kept under, as the service has to see it. */
export const contentDigestOf = ({ contents, olderContents }: Stack, service: string, path: string): string | null =>
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
