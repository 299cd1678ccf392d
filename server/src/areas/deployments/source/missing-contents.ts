import { isFromGit, StepError } from '../model/model.ts';
import type { StepContext } from '../model/step.ts';
import { sourceIn } from '../model/stored.ts';
import { readServices } from '../stack/read/find-services.ts';
import { source } from './step.ts';

/**
 * Fetches the files that services mount if another replica read the source and has died since. Services that are
 * unchanged keep the files that their containers have.
 */
export async function fetchMissingContents(context: StepContext): Promise<void> {
  const { deployment, parts, config, stack, log } = context;
  if (stack.isApp || !(await isMissing(context))) return;
  log('Another replica has read the source. Fetching the files that services mount again');
  const wanted = sourceIn(deployment);
  // The branch may have moved since.
  const pinned = isFromGit(wanted) ? { ...wanted, commitSha: deployment.commitSha ?? wanted.commitSha } : wanted;
  await source.run({ ...context, deployment: { ...deployment, source: JSON.stringify(pinned) } });
  const folder = parts.folders.release(deployment.artifactId);
  const found = await parts.detect(folder, config.rootDirectory);
  const keep = (path: string, digest: string) => parts.contents.keep(deployment.projectId, folder, path, digest);
  await readServices({ ...context, log: () => {} }, found, keep);
  await parts.folders.remove(deployment.artifactId);
  if (!(await isMissing(context))) return;
  const message = 'files that services mount are missing: the source has changed since they were built';
  throw new StepError('source_unreadable', message, 'Redeploy.');
}

async function isMissing({ deployment, parts, stack }: StepContext): Promise<boolean> {
  for (const digest of Object.values(stack.wanted.contents))
    if (digest !== null && (await parts.contents.kindOf(deployment.projectId, digest)) === undefined) return true;
  return false;
}
