// The functions and types that other areas may import. The architecture test refuses imports of other files.
export {
  readRequest,
  readStatus,
  requestFile,
  statusFile,
  updateFolder,
  type UpdateStatus,
  type UpdateStep,
} from './update/files.ts';
export { type Environment, fetchLatest, reasonOf, releaseUrl } from './update/latest.ts';
