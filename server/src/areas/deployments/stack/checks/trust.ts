import { type ComposeProject, type Escape, sourceLineText, projectEscapes } from '../../../../compose/index.ts';
import { StepError } from '../../model/model.ts';

/** Decides whether a project may access the machine. */
export interface Trust {
  trusted: boolean;
  mode: 'self-hosted' | 'cloud';
  /** The project, for the command in the error. */
  slug?: string;
}

/** Organizations of a cloud do not know each other, so no project is trusted there. */
export const isTrusted = ({ trusted, mode }: Trust): boolean => trusted && mode !== 'cloud';

/** What a service can do with a field, unless the reason says it already. */
const meanings: Record<string, string> = {
  volumes: 'it can read this path of the machine, and change it unless the mount is read-only',
  network_mode: 'it can open ports of the machine and reach its local services, or those of other projects',
  pid: 'it can see and stop processes of the machine',
  ipc: 'it can read shared memory of the machine',
  devices: 'it can use the device directly',
  gpus: 'it can use the GPUs directly',
  'deploy.resources.reservations.devices': 'it can use them directly',
  cap_add: 'it can change more of the machine than other containers',
  security_opt: 'it can do more on the machine than other containers',
  sysctls: 'it affects everything on the machine',
  'volumes.*.external': 'it can read and change its data',
  'networks.*.external': 'it can reach every service there',
  'configs.*.file': 'it can read this file of the machine',
  'secrets.*.file': 'it can read this file of the machine',
  'build.context': 'the build can read this folder of the machine',
};

/** Returns why a setting needs trust, and what it allows. */
export function accessReason({ field, reason }: Pick<Escape, 'field' | 'reason'>): string {
  const means = Object.hasOwn(meanings, field) && !/full control|shares mounts/.test(reason) ? meanings[field] : null;
  return means ? `${reason}; ${means}` : reason;
}

/** Formats the place, the service and the reason on one line. */
export const escapeSentence = ({ service, field, reason, ...place }: Escape): string =>
  `${sourceLineText(place)}: ${service === null ? '' : `services.${service}.`}${field}: ${accessReason({ field, reason })}`;

export const trustHint = ({ mode, slug = '<project>' }: Pick<Trust, 'mode' | 'slug'>): string =>
  mode === 'cloud'
    ? 'Cloud mode does not allow access to the machine. Remove it.'
    : 'Remove it, or have the instance owner trust the project, in its settings in the dashboard or with: ' +
      `mooring project trust ${slug}`;

/** Fields that an adopted project may use for its existing volumes and networks. */
const takenOver = new Set(['volumes.*.external', 'networks.*.external']);

/**
 * Rejects access to the machine unless the instance owner allows it. Called when a stack is read and again when a
 * service starts: trust may have been revoked in between.
 */
export function requireTrust(project: ComposeProject, trust: Trust, wasAdopted = false): void {
  if (isTrusted(trust)) return;
  const escapes = projectEscapes(project).filter(({ field }) => !wasAdopted || !takenOver.has(field));
  if (!escapes.length) return;
  throw new StepError(
    'not_trusted',
    `this project asks for access to the machine it runs on:\n${escapes.map(escapeSentence).join('\n')}`,
    trustHint(trust),
  );
}
