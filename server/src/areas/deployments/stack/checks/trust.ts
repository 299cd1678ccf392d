import { type ComposeProject, type Escape, sourceLineText, projectEscapes } from '../../../../compose/index.ts';
import { StepError } from '../../model/model.ts';

/** Decides whether a project may access the machine. */
export interface Trust {
  trusted: boolean;
  mode: 'self-hosted' | 'cloud';
}

/** Organizations of a cloud do not know each other, so no project is trusted there. */
export const isTrusted = ({ trusted, mode }: Trust): boolean => trusted && mode !== 'cloud';

/** Formats the place, the service and the reason on one line. */
export const escapeSentence = ({ service, field, reason, ...place }: Escape): string =>
  `${sourceLineText(place)}: ${service === null ? '' : `services.${service}.`}${field}: ${reason}`;

export const trustHint = (mode: Trust['mode']): string =>
  mode === 'cloud'
    ? 'Cloud mode does not allow access to the machine. Remove it.'
    : 'Remove it, or ask the instance owner to trust the project: mooring project set <project> trusted=true.';

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
    trustHint(trust.mode),
  );
}
