import { appIn, configIn } from '../model/stored.ts';
import type { Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Built } from '../model/built.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { Recipe } from '../model/recipe.ts';
import { type ServiceState, stackSealLocation } from '../model/stack.ts';
import { selectAppsOf010, setServices } from '../model/stack-store.ts';
import { selectSteps } from '../model/step-store.ts';
import type { DeploymentRow } from '../model/store.ts';
import { appArtifact, appStack, newAppState } from '../stack/app.ts';

/**
 * Up to 0.1.0 an app was not a stack. Converts apps that serve, can be rolled back to or are under way to stacks of
 * one service.
 */
export async function convertOldApps({ db, sealer, log }: { db: Db; sealer: Sealer; log: Log }): Promise<void> {
  for (const row of await selectAppsOf010(db))
    // An unreadable deployment must not prevent the start.
    await lift({ db, sealer }, row).catch((error: Error) => log.error(`deployment ${row.id}: ${error.message}`));
}

async function lift({ db, sealer }: { db: Db; sealer: Sealer }, row: DeploymentRow): Promise<void> {
  const steps = await selectSteps(db, row.id);
  const made = appIn(steps);
  // Detection has not run yet.
  if (!made) return;
  const { recipe, built } = made;
  const config = configIn(sealer, row);
  const stack = sealer.seal(JSON.stringify(appStack(row.id, config, recipe)), stackSealLocation(row.id));
  const state = stateOf(row, built, config, recipe);
  await setServices(db, row, { stack, services: JSON.stringify([state]) });
}

function stateOf(row: DeploymentRow, built: Built | undefined, config: DeploymentConfig, recipe: Recipe): ServiceState {
  const artifact = built ? appArtifact(built, config, recipe) : { image: null };
  const isServing = row.active === 1;
  return {
    ...newAppState(),
    ...artifact,
    ...(isServing && { status: 'ready', change: 'replace', strategy: 'start_first', runsOf: row.id }),
  };
}
