// The functions and types that other areas may import. The architecture test refuses imports of other files.
export { withReason } from './build/crash-report.ts';
export { commandEnvironment } from './build/command.ts';
export { openTools } from './build/toolchain/toolchain.ts';
export { selectReservations } from './limits/room-store.ts';
export { requireContainers } from './model/artifact.ts';
export { crashExcerpt, keptOutput } from './model/crash-excerpt.ts';
export type { Machines } from './model/machines.ts';
export { isFinished } from './model/model.ts';
export {
  type AdoptionRow,
  updateOriginal,
  selectAdoption,
  selectUnfinishedAdoptions,
  serverOfAdoption,
  updateAdoption,
} from './model/originals-store.ts';
export { withoutMarks, markedRestored, type Original, originalsIn, originalTitle } from './model/originals.ts';
export type { ContainerParts, Parts } from './model/parts.ts';
export {
  hasUnfinishedDeployments,
  isUnderWay,
  type DeploymentListFilter,
  selectActive,
  selectDeployments,
  selectPage,
  selectStatuses,
} from './model/store.ts';
export { customNameOf } from './release/addresses.ts';
export { cloudNotLinked, type CloudPort, noCloud } from './requests/cloud-port.ts';
export {
  type DataService,
  type DataVolume,
  keepUnmountedVolume,
  type ProjectData,
  projectData,
} from './requests/project-data.ts';
export { type ActiveHold, gateDeployments, ServiceHolds } from './upkeep/holds.ts';
export { untilServing } from './upkeep/restart.ts';
export { edgeKey } from './model/model.ts';
export type { AccessDeploymentRequest } from './requests/new-deployments.ts';
export { AccessBody, Deployment, presentDeployment } from './requests/schemas.ts';
export type { Deployments } from './requests/service.ts';
export { lastingFiles, staysInOriginal, wroteOutside } from './release/stray-writes.ts';
export { sharedWithOriginal } from './rollout/originals/plan.ts';
export { type OldNetwork, oldNetworksOf } from './rollout/originals/original-networks.ts';
export { containersOn, dropRoutes, deactivateReleases, stopContainers, isProjectBusy } from './rollout/withdraw.ts';
