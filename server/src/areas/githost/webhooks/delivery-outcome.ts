import type { GitHostEvent } from '../../../drivers/githost/webhook-events.ts';
import type { GitHostSources } from '../sources.ts';
import type { DeliveryRow } from './delivery-store.ts';
import type { OnInstallation, DeliveryOutcome, ProjectOutcome, PushListener } from './listener.ts';

/** Dependencies that handle an event. */
export type EventHandlers = {
  listener: () => PushListener | undefined;
  onInstallation: OnInstallation;
  sources: Pick<GitHostSources, 'sees'>;
};

/**
 * Handles an event for one organization. `known` are the outcomes of earlier attempts. Returns undefined if the
 * organization no longer sees the repository.
 */
export async function handleEvent(
  { listener, onInstallation, sources }: EventHandlers,
  organizationId: string,
  event: GitHostEvent,
  known: ProjectOutcome[],
): Promise<DeliveryOutcome | undefined> {
  if (event.type === 'installation') {
    await onInstallation(event, organizationId);
    const what = event.action === 'renamed' ? 'the account' : 'the app';
    return { why: `${what} was ${event.action}`, projects: [] };
  }
  if (event.type === 'ping' && event.repository) await listener()?.recordWebhook(event.repository.id, true);
  if (event.type === 'push') await listener()?.pushed(organizationId, event, known);
  const repository = 'repository' in event ? event.repository : null;
  // For projects that follow the repository the listener has checked the access; others only had a webhook for it.
  if (repository && !known.length && !(await sources.sees(organizationId, repository))) return undefined;
  return { why: event.type === 'push' && !known.length ? 'no project follows this repository' : null, projects: known };
}

/** Returns the push details to store; none if the organization no longer sees the repository. */
export function pushDetailsToStore(
  event: GitHostEvent,
  { projects }: DeliveryOutcome,
): Pick<DeliveryRow, 'ref' | 'commitSha'> {
  const isLost = projects.length > 0 && projects.every((each) => each.isLost);
  if (event.type !== 'push' || isLost) return { ref: null, commitSha: null };
  return { ref: withoutNul(event.ref.name), commitSha: event.commitSha };
}

/** PostgreSQL cannot store NUL in text. */
export const withoutNul = (text: string): string => text.replaceAll('\0', '');
