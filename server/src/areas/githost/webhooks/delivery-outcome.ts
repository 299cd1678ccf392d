import type { GitHostEvent } from '../../../drivers/githost/webhook-events.ts';
import type { GitHostSources } from '../sources.ts';
import type { DeliveryRow } from './delivery-store.ts';
import type { OnInstallation, DeliveryOutcome, ProjectOutcome, PushListener } from './listener.ts';

/** What an announcement is held against, and who is told of it. */
export type Hearers = {
  listener: () => PushListener | undefined;
  onInstallation: OnInstallation;
  sources: Pick<GitHostSources, 'sees'>;
};

/** Does what an announcement asks for in one organization. `known` is what tries before this one have brought. Undefined:
 * the organization does not see the repository any more, so that this is nothing to it. */
export async function outcomeOf(
  { listener, onInstallation, sources }: Hearers,
  organizationId: string,
  event: GitHostEvent,
  known: ProjectOutcome[],
): Promise<DeliveryOutcome | undefined> {
  if (event.type === 'installation') {
    await onInstallation(event, organizationId);
    const what = event.action === 'renamed' ? 'the account' : 'the app';
    return { why: `${what} was ${event.action}`, projects: [] };
  }
  if (event.type === 'ping' && event.repository) await listener()?.announced(event.repository.id, true);
  if (event.type === 'push') await listener()?.pushed(organizationId, event, known);
  const repository = 'repository' in event ? event.repository : null;
  // Of those that follow it the listener has asked; others have only had a webhook for it.
  if (repository && !known.length && !(await sources.sees(organizationId, repository))) return undefined;
  return { why: event.type === 'push' && !known.length ? 'no project follows this repository' : null, projects: known };
}

/** What of a push is written down for an organization to read: nothing, if it does not see the repository any more. */
export function toldOf(event: GitHostEvent, { projects }: DeliveryOutcome): Pick<DeliveryRow, 'ref' | 'commitSha'> {
  const isLost = projects.length > 0 && projects.every((each) => each.isLost);
  if (event.type !== 'push' || isLost) return { ref: null, commitSha: null };
  return { ref: withoutNul(event.ref.name), commitSha: event.commitSha };
}

/** PostgreSQL has no place for it. */
export const withoutNul = (text: string): string => text.replaceAll('\0', '');
