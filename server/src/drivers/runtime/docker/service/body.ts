import type { ImageRelease, ServicePort } from '../../runtime.ts';
import { confine } from '../confinement.ts';
import type { ImageInfo } from '../engine/types.ts';
import { healthcheckOf } from './health-checks.ts';
import { type InitSupport, initOf } from '../release/init-process.ts';
import {
  imageLabel,
  labelsOfUser,
  namedLabel,
  ownerLabels,
  reachedLabel,
  restartLabel,
  secretsLabel,
  specLabel,
  stackLabel,
} from '../labels.ts';
import { engineRestartPolicy } from '../release/restart-policy.ts';
import { hostAccessOf } from './host-access.ts';
import type { MountSettings } from './mounts.ts';
import { specDigest } from '../release/spec-digest.ts';
import { confinementSettings, resourceSettings, hostLookupSettings, processSettings } from './settings.ts';
import type { NetworkEndpoint } from '../networks/networks.ts';

export interface ServiceBodyInput {
  image: ImageInfo;
  /** The first is part of the create request; the others are connected afterwards. */
  endpoints: NetworkEndpoint[];
  /** Network mode, for a service without networks of its own. */
  networkMode: string | undefined;
  host: string;
  /** Host port; undefined when the service is not reached from the host. */
  port: number | undefined;
  mounts: MountSettings;
  engineLogs: { maxSize: string; maxFiles: number };
  init: InitSupport;
}

/** Returns the engine's create request for a release. */
export function serviceBody(spec: ImageRelease, place: ServiceBodyInput): object {
  const { service: options } = spec;
  const [first] = place.endpoints;
  const bindings = bindingsOf(spec, place);
  const init = initOf(spec, place);
  return {
    Image: spec.imageId,
    ...(spec.entrypoint && { Entrypoint: spec.entrypoint }),
    ...(spec.command && { Cmd: spec.command }),
    Env: Object.entries(spec.env).map((pair) => pair.join('=')),
    Labels: { ...labelsOf(spec, place), ...init.labels },
    ExposedPorts: Object.fromEntries(Object.keys(bindings).map((port) => [port, {}])),
    ...healthcheckOf(spec, place.image),
    ...processSettings(options),
    HostConfig: {
      NetworkMode: place.networkMode ?? first?.network ?? 'none',
      PortBindings: bindings,
      RestartPolicy: engineRestartPolicy(options.restart),
      LogConfig: {
        Type: 'json-file',
        Config: { 'max-size': place.engineLogs.maxSize, 'max-file': String(place.engineLogs.maxFiles) },
      },
      ...place.mounts,
      ...resourceSettings(spec),
      ...(options.isApp ? confine(spec, place.image) : confinementSettings(spec)),
      Init: init.isGiven,
      ...hostLookupSettings(options),
      ...(options.beyond && hostAccessOf(options.beyond)),
    },
    ...(first && { NetworkingConfig: { EndpointsConfig: { [first.network]: first.config } } }),
  };
}

function labelsOf(spec: ImageRelease, { host, port, networkMode }: ServiceBodyInput): object {
  const { service: options } = spec;
  const reached = networkMode === 'host' ? spec.listensOn : port;
  return {
    ...labelsOfUser(options.labels),
    ...ownerLabels(spec.owner),
    [imageLabel]: spec.image,
    [specLabel]: specDigest(spec),
    [secretsLabel]: JSON.stringify(spec.secretKeys),
    [stackLabel]: options.stack,
    [restartLabel]: JSON.stringify(engineRestartPolicy(options.restart)),
    [reachedLabel]: `${host}:${reached ?? 0}`,
    [namedLabel]: options.isNamedAtOnce ? 'at once' : '',
  };
}

type Bindings = Record<string, { HostIp: string; HostPort: string }[]>;

function bindingsOf({ listensOn, service }: ImageRelease, { host, port, networkMode }: ServiceBodyInput) {
  const bindings: Bindings = {};
  if (networkMode !== undefined) return bindings;
  const bind = (inside: string, HostIp: string, HostPort: string) =>
    (bindings[inside] ??= []).push({ HostIp, HostPort });
  if (listensOn !== null && port !== undefined) bind(`${listensOn}/tcp`, host, String(port));
  for (const { target, protocol, hostIp, published } of service.ports)
    bind(`${target}/${protocol}`, hostIp ?? '0.0.0.0', hostPortOf(published));
  return bindings;
}

/** Without a number the engine picks a free port. */
const hostPortOf = ({ from, to }: ServicePort['published']): string =>
  from === 0 ? '' : from === to ? String(from) : `${from}-${to}`;
