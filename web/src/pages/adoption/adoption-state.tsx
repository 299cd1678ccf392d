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
  adopted:
    'What ran on the server before still does. The cut-over replaces it, service by service, and keeps every container of before.',
  switched:
    'This project has taken over. The containers of before are stopped and kept: bring them back, or confirm that they are not needed any more.',
  undoing: <Waiting>What ran before is being brought back …</Waiting>,
  undone: 'What ran before runs again, as it was. The next cut-over takes over once more.',
  confirming: <Waiting>The containers of before are being removed …</Waiting>,
  confirmed:
    'This project has taken over for good. The containers of before are removed; their volumes are in use here.',
};

/** How far it is, in a sentence. */
export function meaningOf({ state, services }: Adoption): ReactNode {
  const all = services.flatMap(({ originals }) => originals);
  // Those of a deployment that came out half go on.
  const isHalf = state === 'switched' && all.some(({ standing }) => standing === 'in_charge');
  if (isHalf) return `${meanings.switched as string} Some services still run as they did.`;
  return meanings[state];
}
