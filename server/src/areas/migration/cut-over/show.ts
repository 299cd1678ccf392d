import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { type ContainerParts, type Original, originalsIn, selectAdoption } from '../../deployments/port.ts';
import { visibleProject } from '../../projects/port.ts';
import { type CutOverDeps, machineParts } from './adoption.ts';
import type { ShownAdoption, ShownOriginal } from './schemas.ts';
import { adoptedDocument, mustStopFirst } from './waves.ts';

const readWarnings = storedJson('adoptions.warnings', z.array(z.string()));

/** Returns the adoption of a project and its progress. */
export async function showAdoption(deps: CutOverDeps, caller: Caller, projectId: string): Promise<ShownAdoption> {
  const { db, sealer } = deps;
  const project = await visibleProject(db, caller, projectId, 'read');
  const row = await selectAdoption(db, { organizationId: caller.organization.id, projectId });
  if (!row) throw notFound('adoption');
  const { containers } = await machineParts(deps, row);
  const show = async (original: Original): Promise<ShownOriginal> => ({
    id: original.containerId,
    name: original.name,
    standing: standingOf(original),
    running: containers ? await isRunning(containers, original) : null,
  });
  const document = await adoptedDocument(sealer, project);
  const services = await Promise.all(
    Object.entries(originalsIn(row)).map(async ([name, all]) => ({
      name,
      originals: await Promise.all(all.map(show)),
      stopsFirst: mustStopFirst(document, name, all),
    })),
  );
  return {
    projectId: row.projectId,
    serverId: row.serverId,
    state: row.state,
    services,
    warnings: readWarnings(row.warnings) ?? [],
    canUndo: row.state === 'switched' || row.state === 'undoing',
  };
}

const standingOf = ({ held, isRemoved }: Original): ShownOriginal['standing'] =>
  isRemoved ? 'removed' : held ? 'stopped' : 'in_charge';

/** Null if the engine is unreachable. */
async function isRunning({ originals }: ContainerParts, { containerId }: Original): Promise<boolean | null> {
  try {
    const now = await originals.look(containerId);
    return now !== undefined && now.state !== 'stopped';
  } catch (error) {
    if (error instanceof EngineAwayError) return null;
    throw error;
  }
}
