import type { Adoption } from '../../server-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import type { ReactNode } from 'react';

type State = Adoption['state'];
type Kind = Parameters<typeof Badge>[0]['kind'];

const looks: Record<State, [title: string, kind: Kind]> = {
  adopted: ['Adopted', 'plain'],
  switched: ['Cut over', 'good'],
  undoing: ['Going back', 'accent'],
  undone: ['Undone', 'plain'],
  confirming: ['Being confirmed', 'accent'],
  confirmed: ['Confirmed', 'good'],
};

export function AdoptionBadge({ state }: { state: State }) {
  const [title, kind] = looks[state];
  return <Badge kind={kind}>{title}</Badge>;
}

const meanings: Record<State, ReactNode> = {
  adopted: 'The original containers still run. The cut-over replaces them service by service, and keeps each of them.',
  switched:
    'This project runs the services now. The original containers are stopped and kept: undo to bring them back, or confirm to remove them.',
  undoing: <Waiting>Restoring the original containers …</Waiting>,
  undone: 'The original containers run again. You can cut over once more.',
  confirming: <Waiting>Removing the original containers …</Waiting>,
  confirmed: 'This project runs the services. The original containers are removed; their volumes are in use here.',
};

/** The state of the adoption, in a sentence. */
export function adoptionSentence({ state, services }: Adoption): ReactNode {
  const all = services.flatMap(({ originals }) => originals);
  // After a partial failure, some originals keep running.
  const isHalf = state === 'switched' && all.some(({ standing }) => standing === 'in_charge');
  if (isHalf) return `${meanings.switched as string} Some services still run in their original containers.`;
  return meanings[state];
}
