import type { ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import type { EngineSurvey } from '../../../drivers/runtime/docker/survey/survey.ts';
import { digestOf, variableOf } from '../document/image.ts';
import { publishedPorts } from '../document/ports.ts';
import { restartField } from '../document/settings.ts';
import { dependenciesOf } from './dependencies.ts';
import type { FoundService } from './found-services.ts';
import { ownLabels } from './own-labels.ts';
import { proxyRoutes } from './proxy-routes.ts';
import type { StackService } from './schemas.ts';
import { labelsWithoutSecrets, looksSecret, withoutSecrets } from './secret-looking.ts';
import { shown, shownAll } from './shown.ts';

/** What is decided about a service, beside what it is. */
export type Verdict = Pick<StackService, 'adoptable' | 'needsTrust' | 'alreadyManaged' | 'warnings'>;

const mostValue = 2000;
const mostItems = 200;

/** A service as a scan shows it. Nothing that looks like a secret is in it. */
export function presentService(found: FoundService, survey: EngineSurvey, verdict: Verdict): StackService {
  const [container] = found.containers;
  const { Config, HostConfig: host, State } = container;
  const variables = Config.Env.map(variableOf);
  const secrets = variables.filter(([key, value]) => looksSecret(key, value)).map(([, value]) => value);
  const words = (list: readonly string[] | null) => list && shownAll(withoutSecrets(list, secrets), mostValue);
  const image = survey.images.find(({ Id }) => Id === container.Image);
  const labels = labelsWithoutSecrets(ownLabels(Config.Labels, image?.Labels), secrets);
  return {
    name: found.name,
    service: found.service,
    group: found.group,
    containerId: container.Id,
    containerName: shown(container.Name.replace(/^\//, '')),
    replicas: found.containers.length,
    image: shown(Config.Image),
    imageId: shown(container.Image),
    digest: digestOf(image, Config.Image)?.split('@')[1] ?? null,
    state: shown(State.Status),
    health: State.Health?.Status ? shown(State.Health.Status) : null,
    createdAt: shown(container.Created),
    restartPolicy: String(restartField({ container, image, config: null, cgroup: '' })['restart']),
    command: words(Config.Cmd),
    entrypoint: words(Config.Entrypoint),
    user: shown(Config.User),
    workingDir: shown(Config.WorkingDir),
    ports: publishedPorts(container).slice(0, mostItems),
    exposed: shownAll(Config.ExposedPorts),
    mounts: mountsOf(container),
    networks: Object.entries(container.NetworkSettings.Networks)
      .slice(0, mostItems)
      .map(([name, { Aliases }]) => ({ name: shown(name), aliases: shownAll(Aliases) })),
    limits: {
      memory: host.Memory || null,
      cpus: host.NanoCpus ? host.NanoCpus / 1e9 : null,
      pids: host.PidsLimit > 0 ? host.PidsLimit : null,
    },
    healthcheck: Config.Healthcheck?.Test.length
      ? { test: words(Config.Healthcheck.Test)!, intervalSeconds: Config.Healthcheck.Interval / 1e9 || null }
      : null,
    env: variables.slice(0, 500).map(([key, value]) => {
      const secret = looksSecret(key, value);
      return { key: shown(key), value: secret ? null : shown(value, mostValue), secret };
    }),
    labels: Object.fromEntries(
      Object.entries(labels)
        .slice(0, mostItems)
        .map(([key, value]) => [shown(key), shown(value, mostValue)]),
    ),
    routes: proxyRoutes(container),
    logDriver: shown(host.LogConfig?.Type ?? ''),
    dependsOn: shownAll(dependenciesOf(found).map(({ service }) => service)),
    managedBy: found.identity.source,
    ...verdict,
    needsTrust: shownAll(verdict.needsTrust),
    warnings: shownAll(verdict.warnings, 600),
  };
}

const mountsOf = ({ Mounts, HostConfig }: ContainerFacts): StackService['mounts'] => [
  ...Mounts.slice(0, mostItems).map(({ Type, Name, Source, Destination, RW }) => ({
    type: shown(Type),
    source: shown(Type === 'volume' ? Name : Source, 1000),
    target: shown(Destination, 1000),
    readOnly: !RW,
  })),
  ...Object.keys(HostConfig.Tmpfs)
    .slice(0, mostItems)
    .map((target) => ({ type: 'tmpfs', source: '', target: shown(target, 1000), readOnly: false })),
];
