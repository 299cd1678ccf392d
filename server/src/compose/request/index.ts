import { insidePath } from '../../detect/sub-tree.ts';
import { startLevels } from '../graph.ts';
import { ComposeReport, type SourceLine } from '../problems.ts';
import type { ComposeProject, ComposeVolume } from '../project.ts';
import { readService } from '../read/service.ts';
import { checkReferences } from '../references.ts';
import type { AppBuild, ComposeService } from '../service.ts';
import { checkFields } from '../verdicts/check.ts';
import { serviceFields } from '../verdicts/service-fields.ts';
import { dictNode, scalarNode, type DictNode, type MappingEntry, type Node } from '../yaml/nodes.ts';
import { jsonNode } from './json-node.ts';
import { appFields, type ServiceEntry } from './service-entry.ts';

/** Fields that need other files or top-level declarations. */
const onlyInFiles = ['extends', 'env_file', 'label_file', 'configs', 'secrets', 'profiles'];

/**
 * Parses the services of a request like a compose file. Throws a `ComposeError` with all errors; positions are
 * `services[0]`, `services[1]`.
 */
export function readServiceEntries(name: string, entries: readonly ServiceEntry[]): ComposeProject {
  const report = new ComposeReport();
  const services = entries.map((entry, i) => readEntry(entry, { file: `services[${i}]`, line: null }, report));
  const seen = new Set<string>();
  for (const service of services) {
    if (seen.has(service.name)) report.error(service.at, `there are two services named ${service.name}`);
    seen.add(service.name);
  }
  const networks = services.some((service) => service.networks.length)
    ? [
        {
          name: 'default',
          externalName: null,
          driver: null,
          isInternal: false,
          labels: {},
          at: { file: 'services', line: null },
        },
      ]
    : [];
  const project = { name, services, volumes: volumesOf(services), networks, configs: [], secrets: [] };
  checkReferences(project, report);
  startLevels(services, new Set(), report);
  report.settle();
  return { ...project, warnings: report.warnings };
}

/** Named volumes of a request need no declaration. */
function volumesOf(services: ComposeService[]): ComposeVolume[] {
  const used = services.flatMap(({ mounts }) =>
    mounts.flatMap((mount) =>
      mount.type === 'volume' && mount.volume !== null ? [[mount.volume, mount.at] as const] : [],
    ),
  );
  return [...new Map(used)].map(([name, at]) => ({
    name,
    externalName: null,
    driver: null,
    driverOptions: {},
    labels: {},
    at,
  }));
}

function readEntry(entry: ServiceEntry, at: SourceLine, report: ComposeReport): ComposeService {
  const origin = { file: at.file, folder: '' };
  const given = jsonNode(entry, origin) as DictNode;
  const node = serviceNode(given, report, at);
  checkFields(node, serviceFields, report, `services.${entry.name}`);
  const files = { environment: new Map<string, string>(), labels: new Map<string, string>() };
  const service = readService(entry.name, node, { lookup: () => undefined, files, report });
  if (!service.image && !service.build) return { ...service, app: appOf(entry, report, at) };
  warnOfAppFields(entry, service, report);
  // `port` is the exposed port of the image.
  return entry.port ? { ...service, expose: [...new Set([String(entry.port), ...service.expose])] } : service;
}

/** Build settings of an app have no effect with an image or a Dockerfile. */
function warnOfAppFields(entry: ServiceEntry, { name, build, at }: ComposeService, report: ComposeReport): void {
  const used = ['port', ...(build ? ['rootDirectory'] : [])];
  for (const field of appFields)
    if (!used.includes(field) && (entry[field] ?? null) !== null)
      report.warn(at, `services.${name}.${field} is ignored: it has an image or a Dockerfile of its own`);
}

/** Converts an entry to compose field names. */
function serviceNode(given: DictNode, report: ComposeReport, at: SourceLine): DictNode {
  const fields = new Map<string, MappingEntry>();
  for (const [key, entry] of given.entries) {
    const name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (key === 'name' || key === 'dockerfile' || (appFields as readonly string[]).includes(key)) continue;
    if (onlyInFiles.includes(name)) report.error(at, `${key} is only supported in compose files`);
    else if (fields.has(name)) report.error(at, `${key} appears twice`);
    else fields.set(name, entry);
  }
  const build = buildNode(given);
  if (build) fields.set('build', { line: null, node: build });
  return dictNode(fields, given);
}

/** A `dockerfile` makes it a build in the app's folder. */
function buildNode(given: DictNode): Node | undefined {
  const text = (key: string) => {
    const node = given.entries.get(key)?.node;
    return node?.kind === 'scalar' && typeof node.value === 'string' ? node : undefined;
  };
  const build = given.entries.get('build')?.node;
  const dockerfile = text('dockerfile');
  if (!dockerfile) return build?.kind === 'scalar' && build.value === null ? undefined : build;
  const context = text('build') ?? text('rootDirectory') ?? scalarNode('.', given);
  const before = build?.kind === 'dict' ? build.entries : new Map([['context', { line: null, node: context }]]);
  return dictNode(new Map(before).set('dockerfile', { line: null, node: dockerfile }), given);
}

function appOf(entry: ServiceEntry, report: ComposeReport, at: SourceLine): AppBuild {
  const rootDirectory = insidePath(entry.rootDirectory ?? '');
  if (rootDirectory === undefined) report.error(at, 'rootDirectory is outside the source');
  if (insidePath(entry.outputDirectory ?? '') === undefined) report.error(at, 'outputDirectory is outside the source');
  return {
    rootDirectory: rootDirectory ?? '',
    installCommand: entry.installCommand ?? null,
    buildCommand: entry.buildCommand ?? null,
    startCommand: entry.startCommand ?? null,
    outputDirectory: entry.outputDirectory ?? null,
    framework: entry.framework ?? null,
    packageManager: entry.packageManager ?? null,
    port: entry.port ?? null,
  };
}
