import type { GitHostEvent } from '../../../drivers/githost/webhook-events.ts';
import { newId } from '../../../lib/ids.ts';
import { withoutNul } from './delivery-outcome.ts';
import type { DeliveryRow } from './delivery-store.ts';

/** Returns the row of a new delivery for one organization. */
export function newDeliveryRow(
  event: GitHostEvent,
  own: Pick<DeliveryRow, 'guid' | 'digest' | 'organizationId'>,
): DeliveryRow {
  const repository = 'repository' in event ? event.repository : null;
  return {
    ...own,
    id: newId('dlv'),
    event: event.type,
    repository: repository && withoutNul(`${repository.owner}/${repository.name}`),
    // Set once it is known that the organization still sees the repository.
    ref: null,
    commitSha: null,
    content: JSON.stringify(small(event)),
    status: 'received',
    outcome: null,
    attempts: 0,
    nextTryAt: 0,
    leaseOwner: null,
    leaseUntil: null,
    receivedAt: Date.now(),
    handledAt: null,
  };
}

const mostFiles = 1000;

/** A push with very many files is stored as one that touches everything. */
const small = (event: GitHostEvent): GitHostEvent =>
  event.type === 'push' && event.changedFiles.length > mostFiles
    ? { ...event, changedFiles: [], hasAllFiles: false }
    : event;
