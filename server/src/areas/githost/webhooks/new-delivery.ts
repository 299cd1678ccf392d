import type { GitHostEvent } from '../../../drivers/githost/webhook-events.ts';
import { newId } from '../../../lib/ids.ts';
import { withoutNul } from './delivery-outcome.ts';
import type { DeliveryRow } from './delivery-store.ts';

/** An announcement as it is written down for one organization, before anything was done about it. */
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
    // Told once it is known that the organization still sees the repository.
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

/** A push of very many files is one that touches everything, as far as the ledger goes. */
const small = (event: GitHostEvent): GitHostEvent =>
  event.type === 'push' && event.changedFiles.length > mostFiles
    ? { ...event, changedFiles: [], hasAllFiles: false }
    : event;
