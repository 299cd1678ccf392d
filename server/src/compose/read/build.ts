import { pathFrom } from '../files/paths.ts';
import type { ComposeBuild, PathInSource } from '../service.ts';
import { dictNode, type DictNode } from '../yaml/nodes.ts';
import { isSpaced } from './environment.ts';
import { MappingFields } from './fields.ts';
import { readExtraHosts } from './hosts.ts';
import { readFileUses } from './file-uses.ts';
import { isRemote, readRepository } from './repository.ts';
import type { VariableSource } from '../values/template.ts';

/** Reads the build of a service; null if it has none. */
export function readBuild(service: MappingFields, name: string, lookup: VariableSource): ComposeBuild | null {
  const node = service.get('build');
  if (!node) return null;
  if (node.kind === 'list') return service.wrong('build', 'must be a folder or a mapping');
  const mapping: DictNode =
    node.kind === 'dict' ? node : dictNode(new Map([['context', { line: node.line, node }]]), node);
  const build = new MappingFields(mapping, `services.${name}.build`, service.report);
  const args = build.pairs('args').map(([key, value]) => [key, value ?? lookup(key) ?? null] as const);
  for (const [key] of args)
    if (isSpaced(key))
      build.wrong('args', `${key.slice(0, 60)}: there is a space between the name and the equals sign`);
  const inline = build.text('dockerfile_inline');
  const dockerfile = build.text('dockerfile');
  if (inline !== null && dockerfile !== null) build.wrong('dockerfile', 'cannot be combined with dockerfile_inline');
  return {
    ...contextOf(build, service),
    dockerfile: inline === null ? (dockerfile ?? 'Dockerfile') : null,
    dockerfileInline: inline,
    args: Object.fromEntries(args),
    target: build.text('target'),
    additionalContexts: build
      .pairs('additional_contexts')
      .map(([key, value]) => ({ name: key, from: otherContext(build, key, value) })),
    secrets: readFileUses(build, 'build secrets'),
    labels: build.record('labels'),
    network: build.text('network'),
    extraHosts: readExtraHosts(build),
    shmBytes: build.bytes('shm_size'),
    platforms: build.texts('platforms'),
    isWithoutCache: build.flag('no_cache') ?? false,
    isPulling: build.flag('pull') ?? false,
    isPrivileged: build.flag('privileged') ?? false,
    entitlements: build.texts('entitlements'),
    at: service.place('build'),
  };
}

/** The default is the folder of the service's own file, not of an extended one. */
function contextOf(build: MappingFields, service: MappingFields): Pick<ComposeBuild, 'context' | 'repository'> {
  const written = build.text('context') ?? '.';
  const found = isRemote(written) ? readRepository(written) : undefined;
  if (found && typeof found !== 'string')
    return { context: { path: found.context, isInside: true }, repository: found.repository };
  if (found) build.wrong('context', found);
  return { context: pathFrom((build.get('context') ?? service.node).origin.folder, written) };
}

/** Reads an additional context: an image, a service, a URL or a folder. */
function otherContext(build: MappingFields, name: string, value: string | null): PathInSource | { reference: string } {
  if (value === null) build.wrong('additional_contexts', `${name.slice(0, 60)}: must be name=context`);
  const written = value ?? '';
  if (/^(docker-image|service|oci-layout|target):/.test(written) || isRemote(written)) return { reference: written };
  return pathFrom((build.get('additional_contexts') ?? build.node).origin.folder, written);
}
