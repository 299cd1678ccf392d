import type { ServiceEntry } from '../../../compose/index.ts';
import type { ConfigFacts, ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import type { EngineSurvey } from '../../../drivers/runtime/docker/survey/survey.ts';
import { dependenciesOf } from '../stack/dependencies.ts';
import { type FoundService, foundReplicas } from '../stack/found-services.ts';
import { configsSection, fileUses } from './files.ts';
import { imageFields, programFields } from './image.ts';
import { mountFields, volumesOf } from './mounts.ts';
import { networksSection, type PlannedNetwork, planNetworks } from './networks.ts';
import type { ServiceFields, FoundContainer } from './service-fields.ts';
import { fieldUnlessEmpty } from './service-fields.ts';
import { namespaceFields, networkPlacement, withSharedNamespaces } from './network-placement.ts';
import { portFields } from './ports.ts';
import { isolationFields, limitFields, restartText } from './settings.ts';

/** A service to adopt, with its name in the project. */
export interface ChosenService {
  key: string;
  found: FoundService;
  /** Config of its image; null if not inspected. */
  config: ConfigFacts | null;
}

/** A compose file as stored with a project. Every `$` is escaped as `$$`. */
export interface ComposeDocument {
  services: Record<string, ServiceFields>;
  volumes: Record<string, object>;
  networks: Record<string, object>;
  configs: Record<string, object>;
}

/** Returns the chosen services as one compose file. Volumes are used in place. */
export const documentOf = (chosen: readonly ChosenService[], survey: EngineSurvey): ComposeDocument =>
  doubled(plainDocument(chosen, survey));

/** Returns the document without escaping. */
function plainDocument(chosen: readonly ChosenService[], survey: EngineSurvey): ComposeDocument {
  const containers = chosen.flatMap(({ found }) => found.containers);
  const plan = planNetworks(containers, survey);
  const volumes = [...new Set(containers.flatMap(volumesOf))].toSorted();
  const services = chosen.map((each) => [each.key, serviceOf(each, { chosen, survey, plan })] as const);
  return {
    services: Object.fromEntries(services),
    volumes: Object.fromEntries(volumes.map((name) => [name, { external: true, name }])),
    networks: networksSection(plan),
    configs: configsSection(containers),
  };
}

/** Returns a single service without networks, configs and shared namespaces, which need the whole project. */
export function serviceEntryOf(chosen: ChosenService, survey: EngineSurvey): ServiceEntry {
  const { networks: _, configs: __, ...fields } = plainDocument([chosen], survey).services[chosen.key]!;
  const isShared = (value: unknown) => typeof value === 'string' && value.startsWith('container:');
  const own = Object.entries(fields).filter(([name, value]) => !(namespaceFields.includes(name) && isShared(value)));
  return { name: chosen.key, ...Object.fromEntries(own) };
}

type Around = { chosen: readonly ChosenService[]; survey: EngineSurvey; plan: Map<string, PlannedNetwork> };

function serviceOf({ key, found, config }: ChosenService, around: Around): ServiceFields {
  const [container] = found.containers;
  const { engine, images } = around.survey;
  const replicas = foundReplicas(found);
  const image = images.find(({ Id }) => Id === container.Image);
  const written: FoundContainer = { container, image, config, cgroup: engine.cgroup };
  const keyOf = (reference: string) => keyOfContainer(around.chosen, reference);
  return {
    ...imageFields(written),
    ...programFields(written),
    ...portFields(written),
    ...mountFields(written),
    ...limitFields(written),
    ...withSharedNamespaces(isolationFields(written), keyOf),
    restart: restartText(container),
    ...networkPlacement(container, key, { plan: around.plan, keyOf }),
    ...fieldUnlessEmpty('depends_on', dependsOn(found, around.chosen)),
    ...fieldUnlessEmpty('scale', replicas > 1 ? replicas : 0),
    ...fieldUnlessEmpty('configs', fileUses(container)),
  };
}

/** Returns the service of the container that a mode or link refers to, by id or name. */
function keyOfContainer(chosen: readonly ChosenService[], reference: string): string | undefined {
  const name = reference.replace(/^\//, '');
  const isMeant = ({ Id, Name }: ContainerFacts) => Id === name || Name.replace(/^\//, '') === name;
  return chosen.find(({ found }) => found.containers.some(isMeant))?.key;
}

function dependsOn(found: FoundService, chosen: readonly ChosenService[]): Record<string, object> {
  const entries = dependenciesOf(found).flatMap(({ service, condition }) => {
    const other = chosen.find((each) => each.found.group === found.group && each.found.service === service);
    return other && other.found !== found ? [[other.key, { condition }]] : [];
  });
  return Object.fromEntries(entries) as Record<string, object>;
}

/** Escapes `$`, which starts a variable in a compose file. */
function doubled<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('$', '$$$$') as T;
  if (Array.isArray(value)) return value.map(doubled) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, doubled<unknown>(each)])) as T;
}
