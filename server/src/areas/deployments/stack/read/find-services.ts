import { sourceIn } from '../../model/stored.ts';
import { problemText } from '../../../../compose/index.ts';
import type { Detection } from '../../../../detect/detect.ts';
import { ceilingOf } from '../../limits/container.ts';
import type { StepContext } from '../../model/step.ts';
import { selectActive } from '../../model/store.ts';
import { publicServiceLines } from '../endpoints/public-services.ts';
import { hostLabel } from '../../../projects/port.ts';
import { type ReadStack, readStack } from './read.ts';

/** Sets the deployment's services if it has several; returns whether it does. */
export async function findServices(context: StepContext, found: Detection): Promise<boolean> {
  const { log, stack, parts, deployment, config } = context;
  const folder = parts.folders.release(deployment.artifactId);
  const keep = (path: string, digest: string) => parts.contents.keep(deployment.projectId, folder, path, digest);
  const read = await readServices(context, found, keep);
  if (!read) return false;
  for (const warning of read.warnings) log(problemText(warning), 'warn');
  const names = read.stack.project.services.map(({ name }) => name);
  log(`${names.length === 1 ? 'One service' : `${names.length} services`}: ${names.join(', ')}`);
  const { project, candidates = [] } = read.stack;
  for (const line of publicServiceLines(project.services, config, candidates)) log(line);
  await stack.begin(read.stack);
  return true;
}

/** Reads the services of the source or the request; undefined for an app. */
export async function readServices(
  context: StepContext,
  found: Detection,
  keep: (path: string, digest: string) => Promise<void> = async () => {},
): Promise<ReadStack | undefined> {
  const { db, parts, config, deployment, log, stack } = context;
  const folder = parts.folders.release(deployment.artifactId);
  const names = await parts.names.of(deployment);
  const active = await selectActive(db, deployment.organizationId, deployment.projectId, deployment.environment);
  const activeStack = active && stack.of(active)?.stack;
  const first = names.own.find(({ isPrimary }) => isPrimary)?.name;
  return readStack({
    folder,
    rootDirectory: config.rootDirectory,
    found,
    config,
    bounds: ceilingOf(parts, config).bounds,
    slug: config.slug,
    hasSource: sourceIn(deployment).type !== 'services',
    activeServices: activeStack && !activeStack.app ? activeStack.project.services.map(({ name }) => name) : [],
    hasContainers: parts.containers !== undefined,
    trusted: config.trusted === true,
    mode: parts.mode,
    edgePorts: parts.edgePorts,
    address: {
      label: hostLabel(config.slug, deployment.environment),
      baseDomain: parts.baseDomain,
      of(usual, isPrimary) {
        const host = (isPrimary ? first : undefined) ?? usual;
        return { host, url: parts.edge.url(host, { secure: names.isSecure(host) }) };
      },
    },
    keepVariables: (values) => parts.keepVariables(deployment, values),
    generated: [],
    homeFolder: () => parts.homeFolder(),
    fetchContext: (into, repository) => parts.fetchContext(context, into, repository),
    log,
    async digestOf(path, owned) {
      if (owned)
        return (await parts.contents.keepFile(deployment.projectId, { releaseFolder: folder, path }, owned)).digest;
      const digest = await parts.contents.digestOf(folder, path);
      if (digest !== null) await keep(path, digest);
      return digest;
    },
    async digestOfText(text, owner = { uid: null, gid: null, mode: null }) {
      return (await parts.contents.keepFile(deployment.projectId, { content: text }, owner)).digest;
    },
  });
}
