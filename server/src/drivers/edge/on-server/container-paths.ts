// Where things are in the container of the edge. The volume outlives the container; what is in memory goes with it.

export const dataFolder = '/data';
/** In the volume: what runs there, put there by us. */
export const programFolder = 'programs';
export const keeperProgram = 'keeper.cjs';
/** The file that names the program of the edge that is to run. */
export const currentFile = 'current';
/** In the volume: a folder for each site. */
export const sitesFolder = 'sites';
/** Why the edge does not start; not there while it runs. Gone with the container's life, so it is never of an earlier one. */
export const failureFile = '/tmp/start-failure.json';

export const edgeProgramOf = (fingerprint: string): string => `edge-${fingerprint}.cjs`;
