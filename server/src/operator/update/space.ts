import { statfsSync, statSync } from 'node:fs';
import { UpdateError } from './update-error.ts';

export type SpaceNeed = { folder: string; bytes: number };

/** Room for journals, logs and whatever else writes in the meantime. */
const spareBytes = 32_000_000;

/** Fails if a disk has too little space. Needs on the same disk add up. */
export function requireUpdateSpace(needs: SpaceNeed[]): void {
  for (const group of Map.groupBy(needs, ({ folder }) => statSync(folder).dev).values()) {
    const { folder } = group[0]!;
    const { bavail, bsize } = statfsSync(folder);
    const [free, needed] = [bavail * bsize, group.reduce((sum, { bytes }) => sum + bytes, spareBytes)];
    if (free < needed)
      throw new UpdateError(
        `the disk of ${folder} has ${megabytesRoundedUp(free)} free; the update needs ${megabytesRoundedUp(needed)}`,
      );
  }
}

export const megabytesRoundedUp = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`;
