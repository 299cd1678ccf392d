// The functions and types that other areas may import. The architecture test refuses imports of other files.
export {
  readUpdateRequest,
  readUpdateStatus,
  requestFile,
  statusFile,
  updateFolder,
  type UpdateStatus,
  type UpdateStep,
} from './update/files.ts';
export { type ProcessEnvironment, fetchLatest, requestFailureReason, releaseUrl } from './update/latest.ts';
