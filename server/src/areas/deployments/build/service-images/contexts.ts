import type { ComposeBuild, ComposeProject, ComposeService } from '../../../../compose/index.ts';
import type { BuildRequest } from '../../../../drivers/images/images.ts';
import { requireContainers } from '../../model/artifact.ts';
import { StepError } from '../../model/model.ts';
import { runImageBuild } from '../image-request.ts';
import type { StepContext } from '../../model/step.ts';
import { requireFolder } from '../app-image.ts';
import type { ServiceImageOptions } from './service-images.ts';

const ofService = /^service:(.+)$/;
const ofImage = /^docker-image:\/\/(.+)$/;

/** Returns the services whose images a service is built from. */
export function builtFrom(project: ComposeProject, service: ComposeService): ComposeService[] {
  requireNoCircle(project, service, [], new Set());
  return basesOf(project, service);
}

function basesOf({ services }: ComposeProject, { name, build }: ComposeService): ComposeService[] {
  return (build?.additionalContexts ?? []).flatMap(({ from }) => {
    const [, base] = ('reference' in from && ofService.exec(from.reference)) || [];
    if (base === undefined) return [];
    const found = services.find((each) => each.name === base);
    if (!found) throw refused(`${name} is built from the service ${base}, which does not exist`);
    return [found];
  });
}

/** Services in a cycle would wait for each other. `seen` are those that are free of cycles. */
function requireNoCircle(project: ComposeProject, service: ComposeService, above: string[], seen: Set<string>): void {
  const way = [...above, service.name];
  if (above.includes(service.name)) throw refused(way.join(' is built from '));
  if (seen.has(service.name)) return;
  for (const base of basesOf(project, service)) requireNoCircle(project, base, way, seen);
  seen.add(service.name);
}

/**
 * Provides the named contexts of a build. The engine only accepts images for them, so a folder of the source becomes a
 * temporary image.
 */
export async function namedContexts(
  context: StepContext,
  options: ServiceImageOptions,
  { additionalContexts }: ComposeBuild,
  request: BuildRequest,
): Promise<{ images: Record<string, string>; remove: () => Promise<void> }> {
  const images: Record<string, string> = {};
  const own: string[] = [];
  const remove = async () => {
    for (const image of own) await requireContainers(context.parts).images.remove(image);
  };
  try {
    for (const { name, from } of additionalContexts) {
      if ('reference' in from) images[name] = referenced(from.reference, name, options);
      else own.push((images[name] = await folderImage(context, options, { name, ...from }, request)));
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { images, remove };
}

function referenced(reference: string, name: string, { bases }: ServiceImageOptions): string {
  const [, service] = ofService.exec(reference) ?? [];
  const image = service === undefined ? ofImage.exec(reference)?.[1] : bases?.[service];
  if (image === undefined) throw refused(`build.additional_contexts: ${name} cannot be taken from ${reference}`);
  return image;
}

async function folderImage(
  context: StepContext,
  options: ServiceImageOptions,
  { name, path, isInside }: { name: string; path: string; isInside: boolean },
  { owner, credentials = [] }: BuildRequest,
): Promise<string> {
  if (!isInside) throw refused(`build.additional_contexts: ${name} is not a folder of the source`);
  const folder = await requireFolder(options.folder, path);
  // No service can have such a name.
  const service = `${owner.service}/context/${name}`;
  const text = 'FROM scratch\nCOPY . /\n';
  const request = { owner: { ...owner, service }, context: folder, dockerfile: { text }, credentials };
  return (await runImageBuild(context, request, options)).image;
}

const refused = (message: string) => new StepError('build_refused', message);
