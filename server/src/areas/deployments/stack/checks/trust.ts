import { type ComposeProject, type Escape, sourceLineText, projectEscapes } from '../../../../compose/index.ts';
import { StepError } from '../../model/model.ts';

/** Who decides what a project may reach. */
export interface Trust {
  trusted: boolean;
  mode: 'self-hosted' | 'cloud';
}

/** A cloud is shared by people who are nothing to each other: nobody is trusted there. */
export const isTrusted = ({ trusted, mode }: Trust): boolean => trusted && mode !== 'cloud';

/** Where it is written, whose it is and why it is refused, on one line. */
export const escapeSentence = ({ service, field, reason, ...place }: Escape): string =>
  `${sourceLineText(place)}: ${service === null ? '' : `services.${service}.`}${field}: ${reason}`;

export const trustHint = (mode: Trust['mode']): string =>
  mode === 'cloud'
    ? 'Cloud mode does not allow access to the machine. Remove it.'
    : 'Remove it, or ask the instance owner to trust the project: mooring project set <project> trusted=true.';

/** What a project has that was made of what was there before. */
const takenOver = new Set(['volumes.*.external', 'networks.*.external']);

/** Refuses what reaches the machine, unless the owner of the instance allows it. Called wherever a stack is read and wherever one of
 * its services is started: what was trusted then may not be any more. */
export function requireTrust(project: ComposeProject, trust: Trust, wasAdopted = false): void {
  if (isTrusted(trust)) return;
  const escapes = projectEscapes(project).filter(({ field }) => !wasAdopted || !takenOver.has(field));
  if (!escapes.length) return;
  throw new StepError(
    'not_trusted',
    `this project asks for access to the machine it runs on\n${escapes.map(escapeSentence).join('\n')}`,
    trustHint(trust.mode),
  );
}
