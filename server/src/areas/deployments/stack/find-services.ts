import { problemText } from '../../../compose/index.ts';
import type { Detection } from '../../../detect/detect.ts';
import type { DeploymentSource } from '../model.ts';
import type { StepContext } from '../steps/step.ts';
import { readStack } from './read-stack.ts';

/** Whether what is to be deployed is several services; then the deployment has them from here on. */
export async function findServices(context: StepContext, found: Detection): Promise<boolean> {
  const { parts, config, deployment, log, stack } = context;
  const { project_id } = deployment;
  const folder = parts.folders.release(deployment.artifact_id);
  const read = await readStack({
    folder,
    rootDirectory: config.rootDirectory,
    found,
    config,
    slug: config.slug,
    hasSource: (JSON.parse(deployment.source) as DeploymentSource).type !== 'services',
    hasContainers: parts.containers !== undefined,
    trusted: config.trusted === true,
    mode: parts.mode,
    log,
    async digestOf(path) {
      const digest = await parts.contents.digestOf(folder, path);
      if (digest !== null) await parts.contents.keep(project_id, folder, path, digest);
      return digest;
    },
    async digestOfText(text) {
      const owner = { uid: null, gid: null, mode: null };
      return (await parts.contents.keepFile(project_id, { content: text }, owner)).digest;
    },
  });
  if (!read) return false;
  for (const warning of read.warnings) log(problemText(warning), 'warn');
  const names = read.stack.project.services.map(({ name }) => name);
  log(`${names.length === 1 ? 'One service' : `${names.length} services`}: ${names.join(', ')}`);
  await stack.begin(read.stack);
  return true;
}
