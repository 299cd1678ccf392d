import type { Db } from '../../db/database.ts';
import type { Instance } from '../../drivers/runtime/runtime.ts';
import type { Built } from './artifact.ts';
import type { DeploymentConfig } from './model.ts';
import type { Parts } from './parts.ts';
import { releaseSpec } from './release-spec.ts';
import type { Recipe } from './steps/detect.ts';
import type { DeploymentRow } from './store.ts';
import { updateStep } from './step-store.ts';

const graceMs = 10_000;

type Made = { deployment: DeploymentRow; config: DeploymentConfig; recipe: Recipe; built: Built | undefined };

/** The recipe of a release that may write to its file system, whatever its language lets expect. `isRefused`: it was tried
 * otherwise, which its successors need not. */
export const withWritableRoot = (recipe: Recipe, isRefused: boolean): Recipe => {
  const { image } = recipe;
  if (!image?.readOnly) return recipe;
  return { ...recipe, image: { ...image, readOnly: { ...image.readOnly, byDefault: false, isRefused } } };
};

/** For a release that cannot do with a read-only root: it is stopped, that is written down, and it starts anew with one that
 * it may write to. In this order, so that whoever goes on after a kill finds it stopped and starts it as it is written. */
export async function startWritable(
  { db, parts }: { db: Db; parts: Parts },
  { deployment, config, recipe, built }: Made,
): Promise<{ instance: Instance; recipe: Recipe }> {
  await parts.runtime.stop(deployment.id, graceMs);
  const changed = withWritableRoot(recipe, true);
  await updateStep(db, deployment.id, 'detect', { result: JSON.stringify(changed) });
  const instance = await parts.runtime.start(await releaseSpec(parts, { deployment, config, recipe: changed }, built));
  return { instance, recipe: changed };
}
