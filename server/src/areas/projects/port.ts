// The functions and types that other areas may import. The architecture test refuses imports of other files.
export type { KeyPair } from './deploy-keys/service.ts';
export { hostLabel, reserveHostName } from './host-names/host-names.ts';
export { instanceHostOf } from './host-names/instance-label.ts';
export { deleteOtherNames, selectAllHostNames, selectHostName, selectHostNames } from './host-names/store.ts';
export {
  makeAllLinksDue,
  makeLinksDue,
  type LinkRow,
  updateHeardAt,
  markCommitSeen,
  selectDueLinks,
  selectFollowers,
  selectLink,
  selectLinksOf,
  claimDueLinks,
  updateLink,
} from './links/store.ts';
export type { UrlsOf } from './projects/routes.ts';
export {
  isBeingPromoted,
  beingPromotedError,
  requireNotPromoted,
  requireMayCreate,
  requireMayUse,
} from './projects/rules.ts';
export {
  projectFieldsOf,
  presentProject,
  Project,
  ProjectBody,
  projectSettingsOf,
  storedSource,
} from './projects/schemas.ts';
export type { DeleteOptions, Projects } from './projects/service.ts';
export {
  type ProjectSettings,
  PublicEndpoints,
  ReplicaCount,
  hasNoPublicService,
  StoredEndpoints,
} from './projects/settings.ts';
export { isReservedSlug } from './projects/slug.ts';
export { BranchName, hasControl, HostName, LocalPath, ProjectSource } from './projects/source.ts';
export {
  endCloudHold,
  lockExistingProject,
  isProjectIdTaken,
  lockProject,
  markCloud,
  markDeleting,
  moveAllProjects,
  moveCloudState,
  moveProject,
  selectCloudProjects,
  selectOrganizationsThere,
  selectProject,
  selectProjectsThere,
  servicesSealLocation,
  updateProject,
  belongedToAnotherOrganization,
} from './projects/store.ts';
export { Detected, type DetectFolder, sourceSelectionFields, type SelectedSource } from './uploads/schemas.ts';
export { visibleProject } from './projects/visible.ts';
export { AddedVariables, fitInEnvironment, VariablesBody } from './variables/schemas.ts';
export type { VariableValue } from './variables/service.ts';
