import type { Db } from '../../db/database.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { DeploymentConfig } from './model.ts';
import type { Parts } from './parts.ts';
import { configPlace } from './run.ts';
import { type DeploymentRow, selectSteps } from './store.ts';
import type { Recipe } from './steps/detect.ts';
import { releaseSpec } from './steps/start.ts';

/** After a reboot or `npm run stop` the active releases do not run any more. They are started again as they were, on the
 * ports that the edge knows. */
export async function reviveActive(db: Db, parts: Parts, sealer: Sealer, log: Log): Promise<void> {
  const active = await db.selectFrom('deployments').selectAll().where('active', '=', 1).execute();
  for (const deployment of active) {
    await revive(db, parts, sealer, deployment).catch((error: Error) =>
      log.error(`the release ${deployment.id} does not start again: ${error.message}`),
    );
  }
}

async function revive(db: Db, parts: Parts, sealer: Sealer, deployment: DeploymentRow): Promise<void> {
  const instance = await parts.runtime.find(deployment.id);
  if (!instance || instance.state === 'running' || instance.state === 'restarting') return;
  const built = await selectSteps(db, deployment.id);
  const recipe = JSON.parse(built.find(({ name }) => name === 'detect')?.result ?? '{}') as Recipe;
  if (!recipe.startCommand) return;
  const config = JSON.parse(sealer.open(deployment.config, configPlace(deployment.id))) as DeploymentConfig;
  await parts.runtime.start(releaseSpec(parts, deployment, config, recipe));
}
