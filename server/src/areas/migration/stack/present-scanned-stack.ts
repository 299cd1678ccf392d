import type { ContainerFacts, VolumeFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import type { EngineSurvey } from '../../../drivers/runtime/docker/survey/survey.ts';
import type { GroupFiles } from '../compose-files/read-all.ts';
import { isAnonymous } from '../document/mounts.ts';
import { indexAdoptedTogether } from '../document/warnings.ts';
import type { FoundService } from './found-services.ts';
import { composeLabel } from './platforms.ts';
import { presentService } from './present-service.ts';
import type { ScannedStack, StackService } from './schemas.ts';
import { safeText } from './safe-text.ts';
import { type AdoptedContainerIds, adoptionVerdictOf } from './verdict.ts';

const mostWarnings = 200;

interface Found {
  serverId: string;
  survey: EngineSurvey;
  services: readonly FoundService[];
  files: ReadonlyMap<string, GroupFiles>;
  taken: AdoptedContainerIds;
}

/** Builds the result of a scan. */
export function presentScannedStack({ serverId, survey, services, files, taken }: Found): ScannedStack {
  const groups = Map.groupBy(services, groupKey);
  const presented: StackService[] = [];
  for (const members of groups.values()) {
    const together = indexAdoptedTogether(members, survey);
    for (const found of members)
      presented.push(presentService(found, survey, adoptionVerdictOf(found, together, survey, taken)));
  }
  const { version, apiVersion, os, arch, ...engine } = survey.engine;
  return {
    serverId,
    engine: {
      ...engine,
      version: safeText(version),
      apiVersion: safeText(apiVersion),
      os: safeText(os),
      arch: safeText(arch),
      cgroup: safeText(engine.cgroup),
    },
    groups: [...groups.values()].map((members) => groupOf(members, files)),
    services: presented,
    volumes: volumesOf(survey, services),
    networks: survey.networks.map(({ Name, Driver, Internal }) => ({
      name: safeText(Name),
      driver: safeText(Driver),
      usedBy: usersOf(services, ({ NetworkSettings }) => Name in NetworkSettings.Networks),
      internal: Internal,
    })),
    warnings: warningsOf(survey, services, files),
    adoptable: presented.filter(({ adoptable }) => adoptable).length,
    alreadyManaged: presented.filter(({ alreadyManaged }) => alreadyManaged).map(({ name }) => name),
  };
}

/** Groups services by project; those without one by origin. Mooring's own are separate. */
const groupKey = ({ group, isOurs, identity }: FoundService): string =>
  JSON.stringify([isOurs, group, group === null ? identity.source : null]);

function groupOf(members: readonly FoundService[], files: Found['files']): ScannedStack['groups'][number] {
  const { group, isOurs, identity } = members[0]!;
  return {
    project: group,
    source: identity.source,
    composeFiles: (group !== null && !isOurs && files.get(group)?.files) || [],
    services: members.map(({ name }) => name),
  };
}

const usersOf = (services: readonly FoundService[], uses: (container: ContainerFacts) => boolean): string[] =>
  services.filter(({ containers }) => containers.some(uses)).map(({ name }) => name);

function volumesOf({ volumes }: EngineSurvey, services: readonly FoundService[]): ScannedStack['volumes'] {
  const projects = new Set(services.map(({ identity }) => identity.project));
  const isOfNobody = ({ Labels }: VolumeFacts) => !projects.has(Labels[composeLabel('project')] ?? '');
  return volumes.map((volume) => ({
    name: safeText(volume.Name),
    driver: safeText(volume.Driver),
    usedBy: usersOf(services, ({ Mounts }) => Mounts.some(({ Name }) => Name === volume.Name)),
    anonymous: isAnonymous(volume.Name),
    external: isOfNobody(volume),
  }));
}

function warningsOf(
  { leftOut }: EngineSurvey,
  services: readonly FoundService[],
  files: ReadonlyMap<string, GroupFiles>,
): string[] {
  const ofFiles = [...files].flatMap(([group, { warnings }]) => warnings.map((each) => `${group}: ${each}`));
  const names = services.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
  return [
    ...(leftOut ? [`${leftOut} more containers were not scanned`] : []),
    ...twice.map((name) => `there are several services ${name}, so none of them can be adopted by that name`),
    ...ofFiles,
  ]
    .slice(0, mostWarnings)
    .map((each) => safeText(each, 600));
}
