import { z } from '../../../lib/zod/index.ts';
import type { ComposeProject, ComposeService } from '../../../compose/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { BuiltFolder } from './built.ts';
import { Recipe } from './recipe.ts';

/** Memory in bytes, and CPUs. */
const Room = z.object({ memoryBytes: z.number(), cpus: z.number() });
export type Room = z.infer<typeof Room>;

/** Checks only the outline of a compose project: it is large, and only `compose/` creates it. */
const Project = z.object({
  name: z.string(),
  services: z.array(z.object({ name: z.string() })),
  volumes: z.array(z.object({ name: z.string() })),
  networks: z.array(z.object({ name: z.string() })),
}) as z.ZodType as z.ZodType<ComposeProject, ComposeProject>;

/** A service that can be public although it publishes no port. */
const Candidate = z.object({
  service: z.string(),
  /** Its port as the source says it; null if only the image knows. */
  port: z.number().nullable(),
  /** The port of images of this name, unless the image says something else. */
  usual: z.number().nullable(),
  /** The source says that it is public; otherwise it is a guess. */
  isMeant: z.boolean(),
  /** Why it can be public. */
  reason: z.string(),
});
export type EndpointCandidate = z.infer<typeof Candidate>;

/** Definition of a deployment's services; sealed in its row because variables are filled in. */
export const Stack = z.object({
  project: Project,
  /**
   * Version digest of each service: how it is built, from which files, and how it runs. The image that a registry has
   * under a tag is not part of it.
   */
  digests: z.record(z.string(), z.string()),
  /** Digest of each service's image. Absent in stacks stored by older versions. */
  images: z.record(z.string(), z.string()).optional(),
  /**
   * Digests of the source's files and folders that containers mount (binds, configs, secrets), by path; null for a
   * path that the source does not have.
   */
  contents: z.record(z.string(), z.string().nullable()),
  /** The same, by service, for services that stay in an older version than the rest. */
  olderContents: z.record(z.string(), z.record(z.string(), z.string().nullable())).optional(),
  /** Values to redact in everything that is written. */
  secrets: z.array(z.string()),
  /** How an app is built and started; undefined if a compose file or a request defines the services. */
  app: Recipe.optional(),
  /**
   * Services that can be public if none publishes a port, the best first. Absent in stacks stored by older versions,
   * where nothing was public then.
   */
  candidates: z.array(Candidate).optional(),
  /** The project was adopted, and owns volumes and networks that existed before it. */
  wasAdopted: z.literal(true).optional(),
});
export type Stack = z.infer<typeof Stack>;

const ServiceImage = z.object({
  /** Name to show. */
  image: z.string(),
  imageId: z.string(),
  /** Whether Mooring built it and may remove it. */
  isOwn: z.boolean(),
  bytes: z.number(),
  /** TCP ports that the image exposes, in ascending order. */
  ports: z.array(z.number()),
  /** Paths that the image declares as volumes. */
  volumes: z.array(z.string()),
  hasHealthcheck: z.boolean(),
  /** The image's default command. */
  command: z.array(z.string()).optional(),
  /** The port it listens on, if Mooring wrote the app's Dockerfile. */
  port: z.number().nullable(),
});
export type ServiceImage = z.infer<typeof ServiceImage>;

export const serviceChanges = ['unchanged', 'create', 'replace', 'remove'] as const;
export type ServiceChange = (typeof serviceChanges)[number];

export const serviceStatuses = [
  'waiting',
  'building',
  'starting',
  'checking',
  /** It serves in this deployment's version. */
  'ready',
  /** It keeps serving; nothing had to change. */
  'unchanged',
  /** A one-off service that exited successfully. */
  'completed',
  'failed',
  /** Not started because a dependency failed. */
  'skipped',
  'removed',
  /** It was changed and rolled back. */
  'rolled_back',
] as const;
export type ServiceStatus = (typeof serviceStatuses)[number];

/** Order of starting the new version and stopping the old one. */
export const replaceStrategies = ['start_first', 'stop_first'] as const;
export type ReplaceStrategy = (typeof replaceStrategies)[number];

/** State of one service of a deployment. All of them are stored as one JSON text in the deployment's row. */
const ServiceState = z.object({
  name: z.string(),
  status: z.enum(serviceStatuses),
  /** Null until it is planned. */
  change: z.enum(serviceChanges).nullable(),
  strategy: z.enum(replaceStrategies).nullable(),
  /** Why it uses this strategy, in words. */
  reason: z.string().nullable(),
  image: ServiceImage.nullable(),
  /** Artifact of an app that runs as a process, or of a site. */
  folder: BuiltFolder.optional(),
  isApp: z.literal(true).optional(),
  /** The deployment whose container serves now; null if none does. */
  runsOf: z.string().nullable(),
  /** The deployment whose container served before this deployment. */
  before: z.string().nullable(),
  /** The current version is a one-off that exited successfully. */
  isOver: z.boolean().optional(),
  /** It was taken for the public service, but did not answer; it runs without an address. */
  isSilent: z.boolean().optional(),
  /** In cloud mode: resources that this version and the previous one may use. */
  room: Room.optional(),
  roomBefore: Room.optional(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() }).nullable(),
});
export type ServiceState = z.infer<typeof ServiceState>;

export const newServiceState = (name: string): ServiceState => ({
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

/** Resets the states of an earlier deployment for a rollback, keeping its images. */
export function resetServiceStates({ stack, states }: { stack: Stack; states: readonly ServiceState[] }) {
  const anew = stack.project.services.map(({ name }): ServiceState => {
    const then = states.find((state) => state.name === name);
    return { ...newServiceState(name), image: then?.image ?? null };
  });
  return { stack, states: anew };
}

export const isBroken = ({ status }: Pick<ServiceState, 'status'>): boolean =>
  status === 'failed' || status === 'skipped';

/** Whether this deployment's version has replaced the previous one. */
export const isSwitched = ({ status }: Pick<ServiceState, 'status'>): boolean =>
  status === 'ready' || status === 'completed';

/** Name of the single service of an app. */
export const appService = 'app';
export const appOf = ({ project }: Pick<Stack, 'project'>): ComposeService =>
  project.services.find(({ name }) => name === appService)!;

/** Whether the deployment is an app; also true before detection. */
export const isAppRow = (row: { services: string | null }): boolean =>
  row.services === null || serviceStatesOf(row).some(({ isApp }) => isApp);

/** A site runs no process: the edge serves its folder. */
export const isSiteState = ({ folder }: Pick<ServiceState, 'folder'>): boolean =>
  folder !== undefined && folder.site !== null && folder.site !== undefined;

/** Key of a stack's container at the edge and in the runtime. */
export const containerKey = (deploymentId: string, service: string): string => `${deploymentId}/${service}`;

const readStates = storedJson('deployments.services', z.array(ServiceState));
export const serviceStatesOf = ({ services }: { services: string | null }): ServiceState[] =>
  readStates(services) ?? [];

export const stackSealLocation = (row: string) => ({ table: 'deployments', column: 'stack', row });

/** Returns the digest of a source path in the version that the service uses. */
export const contentDigestOf = ({ contents, olderContents }: Stack, service: string, path: string): string | null =>
  (olderContents?.[service] ?? contents)[path] ?? null;

/** Returns every digest that the stack needs. */
export const contentDigests = ({ contents, olderContents }: Stack): string[] =>
  [contents, ...Object.values(olderContents ?? {})].flatMap((each) =>
    Object.values(each).filter((digest) => digest !== null),
  );

/** Mounted folders that the source does not have: their content is data. */
export const dataFoldersOf = ({ contents }: Pick<Stack, 'contents'>): string[] =>
  Object.entries(contents).flatMap(([path, digest]) => (digest === null ? [path] : []));

export function failedServicesSentence(broken: readonly ServiceState[]): string {
  const reasons = broken.map(({ name, error }) => `${name}: ${error?.message ?? 'unknown'}`);
  return `${broken.length === 1 ? 'One service' : `${broken.length} services`} failed. ${reasons.join('; ')}`;
}

/** Whether other services wait for it to complete. */
export const isAwaited = (services: readonly ComposeService[], name: string): boolean =>
  services.some(({ dependsOn }) =>
    dependsOn.some((each) => each.service === name && each.condition === 'service_completed_successfully'),
  );
