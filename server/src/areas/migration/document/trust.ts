import { projectEscapes, type ComposeProject } from '../../../compose/index.ts';
import { instanceLabel } from '../../../drivers/runtime/docker/labels.ts';
import type { EngineSurvey } from '../../../drivers/runtime/docker/survey/survey.ts';
import { safeText } from '../stack/safe-text.ts';
import type { ChosenService } from './document.ts';
import { volumesOf } from './mounts.ts';
import { ownNetworksOf } from './networks.ts';

/** Why only the instance owner may adopt a service. */
export interface TrustReason {
  service: string;
  reason: string;
}

/**
 * Returns the settings that give access to the machine. External volumes and networks are part of every adoption and
 * need no trust by themselves, but their options may.
 */
export function trustReasons(
  project: ComposeProject,
  chosen: readonly ChosenService[],
  survey: EngineSurvey,
): TrustReason[] {
  const ofServices = projectEscapes(project).flatMap(({ service, field, reason }) =>
    service === null || field.endsWith('.external')
      ? []
      : [{ service, reason: `${field}: ${reason.replace('outside the source', 'a path of the machine')}` }],
  );
  const ofThings = chosen.flatMap(({ key, found }) => {
    const reasons = found.containers.flatMap((container) => [
      ...volumesOf(container).map((name) => volumeReason(name, survey)),
      ...ownNetworksOf(container).map((name) => networkReason(name, survey)),
    ]);
    return [...new Set(reasons)].flatMap((reason) => (reason === null ? [] : [{ service: key, reason }]));
  });
  return [...ofServices, ...ofThings];
}

function volumeReason(name: string, { volumes }: EngineSurvey): string | null {
  const volume = volumes.find(({ Name }) => Name === name);
  if (!volume) return null;
  const said = `volumes: ${safeText(name, 100)}`;
  if (volume.Labels[instanceLabel] !== undefined) return `${said} belongs to another project of Mooring`;
  if (volume.Driver !== 'local') return `${said} is made by the driver ${safeText(volume.Driver, 60)}`;
  const { type, device } = volume.Options;
  const isInMemory = type === 'tmpfs' && device === 'tmpfs' && !/bind/.test(volume.Options['o'] ?? '');
  return Object.keys(volume.Options).length && !isInMemory ? `${said} is mounted from elsewhere by its options` : null;
}

function networkReason(name: string, { networks }: EngineSurvey): string | null {
  const network = networks.find(({ Name }) => Name === name);
  if (!network) return null;
  const said = `networks: ${safeText(name, 100)}`;
  if (network.Labels[instanceLabel] !== undefined) return `${said} belongs to another project of Mooring`;
  return ['bridge', 'overlay'].includes(network.Driver)
    ? null
    : `${said} leads to networks of the machine (${safeText(network.Driver, 60)})`;
}
