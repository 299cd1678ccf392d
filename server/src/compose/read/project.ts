import { posix } from 'node:path';
import type { FileReader } from '../files/reader.ts';
import { startLevels } from '../graph.ts';
import { profilesOf, type ServicesByProfile, splitByProfile } from '../profiles.ts';
import type { ComposeReport } from '../problems.ts';
import type { ComposeNetwork, ComposeProject, ComposeVolume } from '../project.ts';
import { checkReferences } from '../references.ts';
import type { ComposeService } from '../service.ts';
import { checkShapes } from '../shapes/check-shapes.ts';
import type { VariableSource } from '../values/template.ts';
import { checkFields } from '../verdicts/check.ts';
import { projectFields } from '../verdicts/project-fields.ts';
import { serviceFields } from '../verdicts/service-fields.ts';
import {
  entryAt,
  dictNode,
  sourceLineOfEntry,
  isNull,
  sourceLineOf,
  type DictNode,
  type MappingEntry,
} from '../yaml/nodes.ts';
import { readServiceFiles } from './environment.ts';
import { withFixedAddresses } from './fixed-addresses.ts';
import { readFileResources, readProjectNetworks, readVolumes } from './resources.ts';
import { readService } from './service.ts';

const maxServices = 200;

/** Settings of the caller and variables. */
export interface ProjectContext {
  name: string;
  profiles: readonly string[];
  lookup: VariableSource;
  /** The variables of the caller. */
  given: Readonly<Record<string, string>>;
}

/** Reads the project from the merged mapping. Errors go to the reader's report. */
export async function readComposeProject(
  file: DictNode,
  reader: FileReader,
  context: ProjectContext,
): Promise<ComposeProject> {
  const { report } = reader;
  const others = [...file.entries].filter(([key]) => key !== 'configs' && key !== 'secrets');
  checkFields(dictNode(new Map(others), file), projectFields, report, '');
  const all = servicesOf(file, reader);
  const { active, inactive } = activeServices(all, context.profiles, reader);
  const services: ComposeService[] = [];
  for (const [name, entry] of active) {
    const service = await readOne(name, entry, reader, context);
    if (service) services.push(service);
  }
  await warnOfMissingFiles(services, reader);
  const used = usedBy(services);
  checkFields(filesInUse(file, used), projectFields, report, '');
  const { lookup } = context;
  const networks = withDefault(readProjectNetworks(file, reader), file).filter(({ name }) => used.networks.has(name));
  const project = {
    name: context.name,
    services: withFixedAddresses(services, networks, report),
    volumes: file.entries.has('volumes')
      ? readVolumes(file, reader).filter(({ name }) => used.volumes.has(name))
      : undeclaredVolumes(services, report),
    networks,
    configs: await readFileResources(file, 'configs', reader, { lookup, used: used.configs }),
    secrets: await readFileResources(file, 'secrets', reader, { lookup, used: used.secrets }),
  };
  checkReferences(project, report);
  startLevels(services, inactive, report);
  checkShapes(file, report);
  return { ...project, warnings: report.warnings };
}

function servicesOf(file: DictNode, { report }: FileReader): DictNode | undefined {
  const node = entryAt(file, 'services');
  if (node?.kind === 'dict' && node.entries.size > maxServices)
    report.error(sourceLineOf(node), `services: more than ${maxServices} of them`);
  else if (node?.kind === 'dict' && node.entries.size) return node;
  else report.error(node ? sourceLineOf(node) : sourceLineOf(file), 'services: there are none');
  return undefined;
}

/** If every service has a profile and none is selected, the profile `default` is, if there is one. */
function activeServices(
  all: DictNode | undefined,
  chosen: readonly string[],
  { report }: FileReader,
): ServicesByProfile {
  const split = splitByProfile(all, chosen);
  if (!all || split.active.size) return split;
  const profiles = [...new Set([...all.entries.values()].flatMap(profilesOf))].filter(Boolean);
  const others = `set the variable COMPOSE_PROFILES to one or more of ${profiles.slice(0, 20).join(', ')}`;
  const none = 'services: each has a profile, and none is selected';
  if (chosen.length || !profiles.includes('default')) {
    report.error(sourceLineOf(all), `${none}; ${others}`);
    return split;
  }
  report.warn(sourceLineOf(all), `${none}, so the profile default is; for others, ${others}`);
  return splitByProfile(all, ['default']);
}

async function readOne(
  name: string,
  entry: MappingEntry,
  reader: FileReader,
  { lookup, given }: ProjectContext,
): Promise<ComposeService | undefined> {
  const { report } = reader;
  const place = sourceLineOfEntry(entry);
  if (!isServiceName(name)) {
    report.error(place, `services: ${name.slice(0, 60)} is not a name: letters, digits, dots, dashes, underscores`);
    return undefined;
  }
  const { node } = entry;
  if (node.kind !== 'dict') {
    report.error(place, `services.${name}: ${isNull(node) ? 'is empty' : 'must be a mapping'}`);
    return undefined;
  }
  checkFields(node, serviceFields, report, `services.${name}`);
  const files = await readServiceFiles(node, reader, lookup, given);
  return { ...readService(name, node, { lookup, generate: reader.generate, files, report }), at: place };
}

/** The engine mounts an empty folder for a missing file, and the app fails for a reason that is hard to guess. */
async function warnOfMissingFiles(services: readonly ComposeService[], reader: FileReader): Promise<void> {
  for (const { name, mounts } of services)
    for (const mount of mounts) {
      if (mount.type !== 'bind' || !mount.source.isInside || mount.content !== undefined) continue;
      const { path } = mount.source;
      const ending = posix.extname(path);
      const looksLikeFile = ending !== '' && ending !== '.d' && ending === posix.extname(mount.target);
      if (looksLikeFile && !(await reader.has(path)))
        reader.report.warn(
          mount.at,
          `services.${name}.volumes: ${path.slice(0, 100)} does not exist in the source, so the service gets an empty folder instead of a file. Add the file, or name a file of the machine by its absolute path`,
        );
    }
}

/** Names become parts of container and network names. */
export const isServiceName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name);

/**
 * Files for other platforms leave out the section for volumes. In a file that has one, a missing name is more likely a
 * mistake.
 */
function undeclaredVolumes(services: readonly ComposeService[], report: ComposeReport): ComposeVolume[] {
  const found = new Map<string, ComposeVolume>();
  for (const { mounts } of services)
    for (const mount of mounts) {
      if (mount.type !== 'volume' || mount.volume === null || found.has(mount.volume)) continue;
      const { volume: name, at } = mount;
      found.set(name, { name, externalName: null, driver: null, driverOptions: {}, labels: {}, at });
    }
  const [first] = found.values();
  if (first)
    report.warn(first.at, `there is no section volumes; these volumes are created: ${[...found.keys()].join(', ')}`);
  return [...found.values()];
}

/** Adds the implicit `default` network. */
function withDefault(networks: ComposeNetwork[], file: DictNode): ComposeNetwork[] {
  if (networks.some(({ name }) => name === 'default')) return networks;
  const added = {
    name: 'default',
    externalName: null,
    driver: null,
    isInternal: false,
    labels: {},
    at: sourceLineOf(file),
  };
  return [...networks, added];
}

/** Returns the used configs and secrets; unused ones are not validated. */
function filesInUse(file: DictNode, used: Record<'configs' | 'secrets', Set<string>>): DictNode {
  const entries = new Map<string, MappingEntry>();
  for (const section of ['configs', 'secrets'] as const) {
    const entry = file.entries.get(section);
    if (entry?.node.kind !== 'dict') continue;
    const kept = [...entry.node.entries].filter(([name]) => used[section].has(name));
    entries.set(section, { line: entry.line, node: dictNode(new Map(kept), entry.node) });
  }
  return dictNode(entries, file);
}

/** Returns the names of used resources; unused ones are not created. */
function usedBy(services: ComposeService[]) {
  const names = (of: (service: ComposeService) => (string | null)[]) => new Set(services.flatMap(of));
  return {
    volumes: names(({ mounts }) => mounts.map((mount) => (mount.type === 'volume' ? mount.volume : null))),
    networks: names(({ networks }) => networks.map(({ name }) => name)),
    configs: names(({ configs }) => configs.map(({ source }) => source)) as Set<string>,
    secrets: names(({ secrets, build }) =>
      [...secrets, ...(build?.secrets ?? [])].map(({ source }) => source),
    ) as Set<string>,
  };
}
