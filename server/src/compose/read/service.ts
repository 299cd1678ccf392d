import type { ComposeReport } from '../problems.ts';
import { sourceLineOfEntry, sourceLineOf, type DictNode } from '../yaml/nodes.ts';
import type { ComposeService } from '../service.ts';
import type { VariableSource } from '../values/template.ts';
import { readBuild } from './build.ts';
import { readCommand } from './command.ts';
import { readDependsOn, serviceNamespace } from './depends-on.ts';
import { readEnvironment, type ServiceFiles } from './environment.ts';
import { MappingFields } from './fields.ts';
import { readFileUses } from './file-uses.ts';
import { readHealthcheck } from './healthcheck.ts';
import { readExtraHosts } from './hosts.ts';
import { readIsolation } from './isolation.ts';
import { readLabels } from './labels.ts';
import { readLimits, readReplicas, readRestart } from './limits.ts';
import { readMounts } from './mounts.ts';
import { readLinks, readNetworks, readVolumesFrom } from './networks.ts';
import { readPorts } from './ports.ts';
import { readPullPolicy, readUlimits } from './small-fields.ts';

interface ServiceContext {
  lookup: VariableSource;
  /** For variables without a value. */
  generate?: VariableSource | undefined;
  files: ServiceFiles;
  report: ComposeReport;
}

/** Converts a service of a file or request to the model. */
export function readService(
  name: string,
  node: DictNode,
  { lookup, generate, files, report }: ServiceContext,
): ComposeService {
  const fields = new MappingFields(node, `services.${name}`, report);
  const networkMode = fields.text('network_mode');
  const links = readLinks(fields);
  const volumesFrom = readVolumesFrom(fields);
  const modes = ['network_mode', 'ipc', 'pid'].filter((key) => serviceNamespace(fields.text(key)) !== null);
  return {
    name,
    at: sourceLineOf(node),
    places: Object.fromEntries([...node.entries].map(([key, entry]) => [key, sourceLineOfEntry(entry)])),
    image: fields.text('image') || null,
    build: readBuild(fields, name, lookup),
    app: null,
    platform: fields.text('platform'),
    pullPolicy: readPullPolicy(fields),
    command: readCommand(fields, 'command'),
    entrypoint: readCommand(fields, 'entrypoint'),
    environment: readEnvironment(fields, files, (key) => lookup(key) ?? generate?.(key)),
    labels: readLabels(fields, files.labels),
    ports: readPorts(fields),
    expose: readExpose(fields),
    mounts: readMounts(fields),
    tmpfs: fields.texts('tmpfs'),
    volumesFrom,
    configs: readFileUses(fields, 'configs'),
    secrets: readFileUses(fields, 'secrets'),
    networks: readNetworks(fields, networkMode),
    networkMode,
    links,
    externalLinks: fields.texts('external_links'),
    dependsOn: readDependsOn(fields, { links, volumesFrom }, modes),
    healthcheck: readHealthcheck(fields),
    restart: readRestart(fields),
    replicas: readReplicas(fields),
    limits: readLimits(fields),
    ulimits: readUlimits(fields),
    sysctls: fields.record('sysctls'),
    isolation: readIsolation(fields),
    ...readNames(fields),
    ...readProcess(fields),
  };
}

const readNames = (fields: MappingFields) => ({
  containerName: fields.text('container_name'),
  hostname: fields.text('hostname'),
  domainName: fields.text('domainname'),
  dns: fields.texts('dns').filter(Boolean),
  dnsOptions: fields.texts('dns_opt'),
  dnsSearch: fields.texts('dns_search'),
  extraHosts: readExtraHosts(fields),
});

function readProcess(fields: MappingFields) {
  const logging = fields.inner('logging');
  return {
    user: fields.text('user'),
    groups: fields.texts('group_add'),
    workingDirectory: fields.text('working_dir'),
    hasInit: fields.flag('init'),
    isReadOnly: fields.flag('read_only') ?? false,
    hasTty: fields.flag('tty') ?? false,
    hasOpenInput: fields.flag('stdin_open') ?? false,
    stopSignal: fields.text('stop_signal'),
    stopGraceMs: fields.duration('stop_grace_period'),
    shmBytes: fields.bytes('shm_size') || null,
    logging: logging ? { driver: logging.text('driver'), options: logging.record('options') } : null,
  };
}

function readExpose(fields: MappingFields): string[] {
  return fields.texts('expose').filter((text) => {
    const isPort = /^\d{1,5}(-\d{1,5})?(\/(tcp|udp|sctp))?$/.test(text);
    if (!isPort) fields.wrong('expose', `${text.slice(0, 60)}: must be a port, or a range of ports`);
    return isPort;
  });
}
