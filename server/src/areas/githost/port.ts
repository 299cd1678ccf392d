// The functions and types that other areas may import. The architecture test refuses imports of other files.
export type { ConnectForLinked } from './connections/connect-for-linked.ts';
export { withDeadline } from './deadline.ts';
export type { Installations } from './installations/service.ts';
export { selectInstallation, selectInstallations } from './installations/store.ts';
export type { CloudGitHost, ConnectWanted, LentOverview } from './lent/port.ts';
export type { LentApps } from './lent/service.ts';
export { selectBorrowers, selectLent, updateCursor } from './lent/store.ts';
export { withGitHostErrors } from './refusals.ts';
export { visibleRepository } from './repositories/visible.ts';
export type { GitHostSources, ReachedRepository } from './sources.ts';
export { organizationsOfInstallation } from './webhooks/delivery-store.ts';
export { selectHooksOf } from './webhooks/hook-store.ts';
export type { DeliveryForwarder, DeliveryKey, ProjectOutcome, PushListener } from './webhooks/listener.ts';
export type { Webhooks } from './webhooks/webhooks.ts';
