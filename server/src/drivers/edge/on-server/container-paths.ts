// Paths in the edge's container. The volume outlives the container; tmpfs does not.

export const dataFolder = '/data';
/** In the volume: the uploaded programs. */
export const programFolder = 'programs';
export const keeperProgram = 'keeper.cjs';
/** Names the edge program that should run. */
export const currentFile = 'current';
/** In the volume: one folder per site. */
export const sitesFolder = 'sites';
/** Why the edge does not start; missing while it runs. On tmpfs, so it never stems from an earlier container. */
export const failureFile = '/tmp/start-failure.json';

export const edgeProgramOf = (fingerprint: string): string => `edge-${fingerprint}.cjs`;
