import { join } from 'node:path';
import { isReadOnlyByDefault } from '../release-spec.ts';
import { selectActive } from '../store.ts';
import { selectSteps } from '../step-store.ts';
import { withWritableRoot } from '../writable-root.ts';
import type { Recipe } from './detect.ts';
import type { StepContext } from './step.ts';

/** Where the project does not say whether the file system of its containers is read-only: it is, unless something says that
 * the app writes there. */
export async function decideReadOnly(context: StepContext, recipe: Recipe): Promise<Recipe> {
  const { parts, deployment, config, log } = context;
  if (!isReadOnlyByDefault({ config, recipe })) return recipe;
  if (await wasRefused(context)) {
    log('Its file system can be written to: the release before needed that');
    return withWritableRoot(recipe, true);
  }
  const why = await parts.findWriting(join(parts.folders.release(deployment.artifact_id), recipe.image!.context));
  if (why) {
    log(`Its file system can be written to: ${why}`);
    return withWritableRoot(recipe, false);
  }
  log('Nothing in its source writes files: its file system is read-only but for /tmp, its home and volumes');
  return recipe;
}

/** Whether the release that serves could not do with it. */
async function wasRefused({ deployment, db }: StepContext): Promise<boolean> {
  const { organization_id, project_id, environment } = deployment;
  const active = await selectActive(db, organization_id, project_id, environment);
  const result = active && (await selectSteps(db, active.id)).find(({ name }) => name === 'detect')?.result;
  return result ? (JSON.parse(result) as Recipe).image?.readOnly?.isRefused === true : false;
}
