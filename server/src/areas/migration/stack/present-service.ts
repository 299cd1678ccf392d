import type { ContainerFacts, ImageFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import type { EngineSurvey } from '../../../drivers/runtime/docker/survey/survey.ts';
import { imageDigestOf, splitVariable } from '../document/image.ts';
import { publishedPorts } from '../document/ports.ts';
import { cpusOf, restartText } from '../document/settings.ts';
import { dependenciesOf } from './dependencies.ts';
import { type FoundService, foundReplicas } from './found-services.ts';
import { ownLabels } from './own-labels.ts';
import { proxyRoutes } from './proxy-routes.ts';
import type { StackService } from './schemas.ts';
import { labelsWithoutSecrets, looksSecret, withoutSecrets } from './secret-looking.ts';
import { safeText, shownAll } from './safe-text.ts';

/** Whether and how a service can be adopted. */
export type AdoptionVerdict = Pick<StackService, 'adoptable' | 'needsTrust' | 'alreadyManaged' | 'warnings'>;

const mostValue = 2000;
const mostItems = 200;
const mostVariables = 500;

/** Returns a service as a scan shows it, with secrets redacted. */
export function presentService(found: FoundService, survey: EngineSurvey, verdict: AdoptionVerdict): StackService {
  const [container] = found.containers;
  const { Config, HostConfig: host, State } = container;
  const image = survey.images.find(({ Id }) => Id === container.Image);
  return {
    name: found.name,
    service: found.service,
    group: found.group,
    containerId: container.Id,
    containerName: safeText(container.Name.replace(/^\//, '')),
    replicas: foundReplicas(found),
    image: safeText(Config.Image),
    imageId: safeText(container.Image),
    digest: imageDigestOf(image, Config.Image)?.split('@')[1] ?? null,
    state: safeText(State.Status),
    health: State.Health?.Status ? safeText(State.Health.Status) : null,
    createdAt: safeText(container.Created),
    restartPolicy: safeText(restartText(container)),
    user: safeText(Config.User),
    workingDir: safeText(Config.WorkingDir),
    ports: publishedPorts(container).slice(0, mostItems),
    exposed: shownAll(Config.ExposedPorts),
    mounts: mountsOf(container),
    networks: Object.entries(container.NetworkSettings.Networks)
      .slice(0, mostItems)
      .map(([name, { Aliases }]) => ({ name: safeText(name), aliases: shownAll(Aliases) })),
    limits: {
      memory: host.Memory || null,
      cpus: cpusOf(container) || null,
      pids: host.PidsLimit > 0 ? host.PidsLimit : null,
    },
    ...withoutSecretsOf(container, image),
    routes: proxyRoutes(container),
    logDriver: safeText(host.LogConfig?.Type ?? ''),
    dependsOn: shownAll(dependenciesOf(found).map(({ service }) => service)),
    managedBy: found.identity.source,
    ...verdict,
    needsTrust: shownAll(verdict.needsTrust),
    warnings: shownAll(verdict.warnings, 600),
  };
}

/** Returns the fields that may contain secrets, redacted. */
function withoutSecretsOf({ Config }: ContainerFacts, image: ImageFacts | undefined) {
  const variables = Config.Env.map(splitVariable);
  const secrets = variables.filter(([key, value]) => looksSecret(key, value)).map(([, value]) => value);
  const words = (list: readonly string[] | null) => list && shownAll(withoutSecrets(list, secrets), mostValue);
  const labels = Object.entries(labelsWithoutSecrets(ownLabels(Config.Labels, image?.Labels), secrets));
  const check = Config.Healthcheck;
  return {
    command: words(Config.Cmd),
    entrypoint: words(Config.Entrypoint),
    healthcheck: check?.Test.length
      ? { test: words(check.Test)!, intervalSeconds: check.Interval / 1e9 || null }
      : null,
    env: variables.slice(0, mostVariables).map(([key, value]) => {
      const secret = looksSecret(key, value);
      return { key: safeText(key), value: secret ? null : safeText(value, mostValue), secret };
    }),
    labels: Object.fromEntries(
      labels.slice(0, mostItems).map(([key, value]) => [safeText(key), safeText(value, mostValue)] as const),
    ),
  };
}

const mountsOf = ({ Mounts, HostConfig }: ContainerFacts): StackService['mounts'] => [
  ...Mounts.slice(0, mostItems).map(({ Type, Name, Source, Destination, RW }) => ({
    type: safeText(Type),
    source: safeText(Type === 'volume' ? Name : Source, 1000),
    target: safeText(Destination, 1000),
    readOnly: !RW,
  })),
  ...Object.keys(HostConfig.Tmpfs)
    .slice(0, mostItems)
    .map((target) => ({ type: 'tmpfs', source: '', target: safeText(target, 1000), readOnly: false })),
];
