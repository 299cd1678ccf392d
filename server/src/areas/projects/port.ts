// The functions and types that other areas may import. The architecture test refuses imports of other files.
export type { KeyPair } from './deploy-keys/service.ts';
export { hostLabel, reserveHostName } from './host-names/host-names.ts';
export { instanceHostOf } from './host-names/instance-label.ts';
export { deleteOtherNames, selectAllHostNames, selectHostName, selectHostNames } from './host-names/store.ts';
export {
  allDue,
  allDueOf,
  type LinkRow,
  markHeard,
  seeCommit,
  selectDue,
  selectFollowers,
  selectLink,
  selectLinksOf,
  claimDueLinks,
  updateLink,
} from './links/store.ts';
export type { UrlsOf } from './projects/routes.ts';
export { isOnItsWay, onItsWay, requireHere, requireMayCreate, requireMayUse } from './projects/rules.ts';
export { fieldsOf, presentProject, Project, ProjectBody, settingsOf, storedSource } from './projects/schemas.ts';
export type { DeleteOptions, Projects } from './projects/service.ts';
export { type ProjectSettings, PublicEndpoints, ReplicaCount, saysNone, StoredEndpoints } from './projects/settings.ts';
export { isReservedSlug } from './projects/slug.ts';
export { BranchName, hasControl, HostName, LocalPath, Source } from './projects/source.ts';
export {
  endCloudHold,
  holdProject,
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
  wasSomebodyElses,
} from './projects/store.ts';
export { Detected, type DetectFolder, PlaceFields, type PlaceInSource } from './uploads/schemas.ts';
export { visibleProject } from './projects/visible.ts';
export { AddedVariables, fitTogether, VariablesBody } from './variables/schemas.ts';
export type { VariableValue } from './variables/service.ts';
