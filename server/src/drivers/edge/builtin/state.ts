import { readFileSync, renameSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { EdgeProject } from '../edge.ts';
import type { GivenAnswers } from './given-answers.ts';
import type { EdgeLog } from './log.ts';
import type { EdgePorts, ServiceAddress } from './protocol.ts';

/** What the edge knows beyond its own life. */
export interface SavedState {
  instanceId: string;
  port: number;
  projects: readonly EdgeProject[];
  /** The highest seen for each key, also of removed ones: a late worker must not bring them back. */
  fences: Record<string, number>;
  /** What follows is not there in states of edges that knew no TLS. */
  ports?: EdgePorts;
  /** Where TLS was taken last. */
  lastTlsPort?: number;
  /** Who answers certificate authorities. */
  challenges?: ServiceAddress;
  /** Who is believed about for whom it asks. */
  trustedProxies?: readonly string[];
  /** How much of us one client address may have. */
  perAddress?: number;
  /** What they are told without asking anybody. */
  answers?: GivenAnswers;
}

/** What is kept besides the routes. */
export type Remembered = Omit<SavedState, 'instanceId' | 'projects' | 'fences'>;

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

/** On disk when it returns, whole or not at all. */
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

/** So that what was renamed or removed there stays so. */
export async function fsyncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
