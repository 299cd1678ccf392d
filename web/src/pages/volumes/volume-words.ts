import { production } from '../projects/environments.ts';
import type { Volume } from '../../volume-queries.ts';

type Look = { title: string; kind: 'good' | 'accent' | 'warn' | 'plain' };

export function volumeStateLook({ inUse, pending }: Volume): Look {
  if (pending && inUse) return { title: 'Moves with the next deployment', kind: 'warn' };
  if (pending) return { title: 'Mounted by the next deployment', kind: 'accent' };
  return inUse ? { title: 'In use', kind: 'good' } : { title: 'Not in use', kind: 'plain' };
}

export const volumeOriginText = ({ origin }: Volume): string | undefined =>
  ({ project: undefined, compose: 'Of the compose file', image: 'Declared by the image' })[origin];

/** Anonymous volumes are listed by the engine's id, 64 hexadecimal digits. */
export const shownName = ({ name }: Volume): string => (/^[0-9a-f]{64}$/.test(name) ? name.slice(0, 12) : name);

/** An anonymous volume: the engine's id is its name. */
export const isUnnamed = ({ id, name }: Volume): boolean => id === name;

export const volumeKey = ({ environment, name }: Volume): string => `${environment}/${name}`;

/** The changes of an environment's next deployment. */
export function waitingTitle(waiting: Volume[], environment: string): string {
  const next = environment === production ? 'the next deployment' : `the next deployment of ${environment}`;
  const [first, ...others] = waiting;
  if (!first || others.length) return `${waiting.length} volumes change with ${next}`;
  if (!first.pending) return `The volume ${first.name} is not mounted any more from ${next} on`;
  return `The volume ${first.name} is mounted at ${first.path} by ${next}`;
}
