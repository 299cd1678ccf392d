import { readFileSync, renameSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { EdgeProject } from '../edge.ts';
import type { Log } from './log.ts';

/** What the edge knows beyond its own life. */
export interface SavedState {
  instanceId: string;
  port: number;
  projects: readonly EdgeProject[];
  /** The highest seen for each key, also of removed ones: a late worker must not bring them back. */
  fences: Record<string, number>;
}

export function readState(file: string, instanceId: string, log: Log): SavedState {
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
export async function writeState(file: string, state: SavedState): Promise<void> {
  const draft = `${file}.draft`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(state));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
