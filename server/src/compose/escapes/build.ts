import { pathFrom } from '../files/paths.ts';
import type { ComposeBuild } from '../service.ts';
import { short, type EscapeAt } from './escape-at.ts';
import { outsideReason } from './mounts.ts';

/** Returns the access of a build to the machine. */
export function buildEscapes(build: ComposeBuild): EscapeAt[] {
  const found: EscapeAt[] = [];
  const add = (field: string, reason: string) => found.push({ field: `build.${field}`, reason, at: build.at });
  if (!build.context.isInside) add('context', outsideReason(build.context));
  else if (build.dockerfile !== null) {
    const dockerfile = pathFrom(build.context.path, build.dockerfile);
    if (!dockerfile.isInside) add('dockerfile', outsideReason(dockerfile));
  }
  for (const { name, from } of build.additionalContexts) {
    if ('reference' in from) {
      if (from.reference.startsWith('oci-layout:'))
        add('additional_contexts', `${short(name)} is a folder of the machine`);
    } else if (!from.isInside) add('additional_contexts', outsideReason(from));
  }
  if (build.network && !['default', 'none'].includes(build.network))
    add('network', `the network ${short(build.network)} does not belong to this project`);
  if (build.isPrivileged) add('privileged', 'a privileged build has full control of the machine');
  for (const name of build.entitlements) add('entitlements', `${short(name)} is not allowed in builds`);
  return found;
}
