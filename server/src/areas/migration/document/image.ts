import { isDeepStrictEqual } from 'node:util';
import type { ConfigFacts, ContainerFacts, ImageFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import type { ServiceFields, FoundContainer } from './service-fields.ts';
import { ownLabels } from '../stack/own-labels.ts';
import { fieldUnlessEmpty } from './service-fields.ts';

/** Returns `repository@sha256:...` if the image has a registry digest, preferably of the container's repository. */
export function imageDigestOf(image: ImageFacts | undefined, name: string): string | null {
  const repository = repositoryOf(name);
  const known = image?.RepoDigests.filter((each) => /^[^@]+@sha256:[0-9a-f]{64}$/.test(each)) ?? [];
  return known.find((each) => each.startsWith(`${repository}@`)) ?? known[0] ?? null;
}

/** Strips tag and digest; a colon before the last slash belongs to a port. */
const repositoryOf = (name: string): string => name.replace(/@.*$/s, '').replace(/:[^:/]*$/, '');

/**
 * Pins the image that runs now. An image without a registry digest is never pulled: the registry might have another
 * one of that name.
 */
export function imageFields({ container, image }: FoundContainer): ServiceFields {
  const { Image: id, Config } = container;
  const digest = imageDigestOf(image, Config.Image);
  if (digest) return { image: digest };
  const isCurrent = image?.RepoTags.includes(withTag(Config.Image));
  return { image: isCurrent ? withTag(Config.Image) : id || Config.Image, pull_policy: 'never' };
}

const withTag = (name: string): string => (/:[^:/]+$/.test(name) || name.includes('@') ? name : `${name}:latest`);

/**
 * Returns the fields that differ from the image. A changed entrypoint resets the image's command, so both are written
 * then.
 */
export function programFields({ container: { Config }, config }: FoundContainer): ServiceFields {
  const { Entrypoint: entrypoint, Cmd: command } = Config;
  const isSameEntrypoint = config !== null && same(entrypoint, config.Entrypoint);
  const isSameCommand = config !== null && same(command, config.Cmd);
  return {
    ...(!isSameEntrypoint && { entrypoint: entrypoint ?? [] }),
    ...((!isSameEntrypoint || !isSameCommand) && { command: command ?? [] }),
    ...(Config.User !== (config?.User ?? '') && fieldUnlessEmpty('user', Config.User)),
    ...(Config.WorkingDir !== (config?.WorkingDir ?? '') && fieldUnlessEmpty('working_dir', Config.WorkingDir)),
    ...(Config.StopSignal !== (config?.StopSignal ?? '') && fieldUnlessEmpty('stop_signal', Config.StopSignal)),
    ...fieldUnlessEmpty('stop_grace_period', Config.StopTimeout === null ? null : `${Config.StopTimeout}s`),
    ...fieldUnlessEmpty('tty', Config.Tty),
    ...fieldUnlessEmpty('stdin_open', Config.OpenStdin),
    ...fieldUnlessEmpty('environment', ownVariables(Config.Env, config?.Env ?? [])),
    ...fieldUnlessEmpty('labels', ownLabels(Config.Labels, config?.Labels)),
    ...fieldUnlessEmpty(
      'expose',
      Config.ExposedPorts.filter((port) => !config?.ExposedPorts.includes(port)),
    ),
    ...healthcheckFields(Config, config),
  };
}

/** Engines treat null and an empty list alike. */
const same = (a: readonly string[] | null, b: readonly string[] | null): boolean => isDeepStrictEqual(a ?? [], b ?? []);

/** Returns the variables that the image does not have with the same value. */
export function ownVariables(env: readonly string[], ofImage: readonly string[]): Record<string, string> {
  const known = new Set(ofImage);
  return Object.fromEntries(env.filter((each) => !known.has(each)).map(splitVariable));
}

export function splitVariable(text: string): [key: string, value: string] {
  const cut = text.indexOf('=');
  return cut < 0 ? [text, ''] : [text.slice(0, cut), text.slice(cut + 1)];
}

function healthcheckFields({ Healthcheck: own }: ContainerFacts['Config'], config: ConfigFacts | null): ServiceFields {
  if (!own?.Test.length || (config && isDeepStrictEqual(own, config.Healthcheck))) return {};
  if (own.Test[0] === 'NONE') return { healthcheck: { disable: true } };
  const time = (name: string, nanoseconds: number) => fieldUnlessEmpty(name, nanoseconds && `${nanoseconds / 1e6}ms`);
  return {
    healthcheck: {
      test: own.Test,
      ...time('interval', own.Interval),
      ...time('timeout', own.Timeout),
      ...time('start_period', own.StartPeriod),
      ...time('start_interval', own.StartInterval),
      ...fieldUnlessEmpty('retries', own.Retries),
    },
  };
}
