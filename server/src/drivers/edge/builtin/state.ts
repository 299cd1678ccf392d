import { readFileSync, renameSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { EdgeProject } from '../edge.ts';
import type { ChallengeResponses } from './challenge-responses.ts';
import type { EdgeLog } from './log.ts';
import type { EdgePortSettings, ServiceAddress } from './protocol.ts';

/** State that survives a restart of the edge. */
export interface SavedState {
  instanceId: string;
  port: number;
  projects: readonly EdgeProject[];
  /** The highest fence seen for each key, including removed ones: a late worker must not restore them. */
  fences: Record<string, number>;
  /** The following fields are missing in states written before TLS support. */
  ports?: EdgePortSettings;
  /** Last TLS port. */
  lastTlsPort?: number;
  /** Address of the service that answers ACME challenges. */
  challenges?: ServiceAddress;
  /** Proxies whose forwarded headers are trusted. */
  trustedProxies?: readonly string[];
  /** Limit of connections and requests per client address. */
  perAddress?: number;
  /** Number of processes that serve requests; 0: as many as fit the machine. */
  workers?: number;
  /** Challenge responses that were stored in the edge. */
  answers?: ChallengeResponses;
}

/** State besides the routes. */
export type SavedSettings = Omit<SavedState, 'instanceId' | 'projects' | 'fences'>;

export function readState(file: string, instanceId: string, log: EdgeLog): SavedState {
  const nothing: SavedState = { instanceId, port: 0, projects: [], fences: {} };
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothing;
    throw error;
  }
  try {
    const state = JSON.parse(text) as SavedState;
    if (state.instanceId === instanceId) return state;
    log(`the saved routes belong to the instance ${state.instanceId}; starting without them`);
  } catch {
    log('the saved routes cannot be read; starting without them');
  }
  renameSync(file, `${file}.unusable`);
  return nothing;
}

/** Writes atomically; the state is on disk when it resolves. */
export const writeState = (file: string, state: SavedState): Promise<void> =>
  writeWhole(file, `${file}.draft`, JSON.stringify(state));

export async function writeWhole(file: string, draft: string, text: string): Promise<void> {
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await fsyncFolder(dirname(file));
}

/** Makes renames and removals in the folder durable. */
export async function fsyncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
