import { isFinished } from '../model.ts';
import type { DeploymentRow } from '../store.ts';
import { statesOf } from './model.ts';

type Row = Pick<DeploymentRow, 'services' | 'artifact_kept' | 'active' | 'status'>;

/** Ids of images that some deployment of several services runs from or may go back to. */
export const imagesInUse = (rows: readonly Row[]): Set<string> =>
  new Set(
    rows
      .filter(({ artifact_kept, active, status }) => artifact_kept === 1 || active === 1 || !isFinished(status))
      .flatMap((row) => statesOf(row).flatMap(({ image }) => (image ? [image.imageId] : []))),
  );
