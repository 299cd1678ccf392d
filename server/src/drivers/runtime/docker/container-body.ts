import { createHash } from 'node:crypto';
import type { ImageRelease, ServiceOptions } from '../runtime.ts';
import { confine } from './confinement.ts';
import type { ImageInfo, Labels } from './engine-types.ts';
import { healthcheckOf } from './health-checks.ts';
import { type InitSupport, isInitWanted } from './init-process.ts';
import { imageLabel, noInitLabel, ofNoStack, ownerLabels, secretsLabel, specLabel } from './labels.ts';
import { restartAlways } from './restart-policy.ts';

export interface ContainerPlace {
  image: ImageInfo;
  /** The name of the container, which its volumes are named after. */
  name: string;
  network: string;
  host: string;
  /** Undefined for what runs once: nobody calls it, and it is not started again. */
  port: number | undefined;
  engineLogs: { maxSize: string; maxFiles: number };
  init: InitSupport;
}

/** Raised when `containerBody` makes other containers of the same release. */
const bodyVersion = 1;

/** Another one for another container; a stopped container with the same one can be started again as it is. */
export const specDigest = ({ owner, service, ...spec }: ImageRelease): string => {
  const entries = Object.entries({ ...spec, ...(service && { service: lasting(service) }) });
  return digest([bodyVersion, owner.projectId, ...entries.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
};

/** All of it but when it gets its names, with the keys in one order, wherever it was kept in between. */
function lasting(service: ServiceOptions): unknown {
  const sorted = (key: string, value: unknown): unknown => {
    if (key === 'isNamedAtOnce') return undefined;
    if (!value || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.parse(JSON.stringify(service, sorted));
}

/** What the engine is told to make of a release. */
export function containerBody(spec: ImageRelease, place: ContainerPlace): object {
  const port = `${spec.listensOn}/tcp`;
  const init = initOf(spec, place);
  return {
    Image: spec.imageId,
    ...(spec.entrypoint && { Entrypoint: spec.entrypoint }),
    ...(spec.command && { Cmd: spec.command }),
    // What the project sets wins, except for PORT.
    Env: Object.entries({ HOST: '0.0.0.0', ...spec.env, PORT: String(spec.listensOn) }).map((pair) => pair.join('=')),
    Labels: {
      ...ownerLabels(spec.owner),
      ...ofNoStack,
      [imageLabel]: spec.image,
      [specLabel]: specDigest(spec),
      [secretsLabel]: JSON.stringify(spec.secretKeys),
      ...init.labels,
    },
    ...(place.port === undefined
      ? { Healthcheck: { Test: ['NONE'] } }
      : {
          ExposedPorts: { [port]: {} },
          ...healthcheckOf(spec, place.image),
        }),
    HostConfig: {
      NetworkMode: place.network,
      ...(place.port !== undefined && {
        PortBindings: { [port]: [{ HostIp: place.host, HostPort: String(place.port) }] },
        RestartPolicy: restartAlways,
      }),
      Init: init.isGiven,
      LogConfig: {
        Type: 'json-file',
        Config: { 'max-size': place.engineLogs.maxSize, 'max-file': String(place.engineLogs.maxFiles) },
      },
      // Without swap: an app past its limit is ended, it does not slow the machine down.
      ...(spec.memoryBytes && { Memory: spec.memoryBytes, MemorySwap: spec.memoryBytes }),
      ...(spec.cpus && { NanoCpus: Math.round(spec.cpus * 1e9) }),
      Mounts: volumesOf(spec, place),
      ...confine(place.image, spec.confinement),
    },
  };
}

/** It reaps what the app leaves behind, and hands signals on. */
export function initOf(spec: ImageRelease, { image, init }: Pick<ContainerPlace, 'image' | 'init'>) {
  const isWanted = isInitWanted(spec, image);
  const labels: Labels = { [noInitLabel]: isWanted && init.isMissing ? 'engine' : '' };
  return { isGiven: isWanted && !init.isMissing, labels };
}

/** The image's own volumes, named and labelled: they are found again by the next container, and known as ours. */
const volumesOf = ({ owner }: ImageRelease, { image, name }: ContainerPlace): object[] =>
  Object.keys(image.Config?.Volumes ?? {}).map((path) => ({
    Type: 'volume',
    Source: `${name}.${digest([path]).slice(0, 8)}`,
    Target: path,
    VolumeOptions: { Labels: ownerLabels(owner) },
  }));

const digest = (content: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32);
