import { ComposeError, problemText, readServiceEntries } from '../../../compose/index.ts';
import type { EngineSurvey } from '../../../drivers/runtime/docker/survey/survey.ts';
import { serviceEntryOf } from '../document/document.ts';
import { freeName } from '../document/names.ts';
import { trustReasons } from '../document/trust.ts';
import { adoptionWarnings, type AdoptedTogether } from '../document/warnings.ts';
import type { FoundService } from './found-services.ts';
import type { AdoptionVerdict } from './present-service.ts';
import { swarmObstacle } from './swarm-verdict.ts';

/** Ids of containers that a project has already adopted. */
export type AdoptedContainerIds = ReadonlySet<string>;

/** Returns why a service cannot be adopted; undefined if it can. */
export function obstacleOf(found: FoundService, taken: AdoptedContainerIds): string | undefined {
  const { isOurs, identity, containers } = found;
  if (isOurs) return 'Mooring already manages it';
  if (containers.some(({ Id }) => taken.has(Id))) return 'a project of this instance has already adopted it';
  if (identity.isOneOff) return 'it is a one-off container (docker compose run)';
  if (identity.isPlatform) return `it is a part of ${identity.source} itself`;
  return swarmObstacle(found);
}

/** Returns whether a service can be adopted with its group, whether that needs trust, and the warnings. */
export function adoptionVerdictOf(
  found: FoundService,
  group: AdoptedTogether,
  survey: EngineSurvey,
  taken: AdoptedContainerIds,
): AdoptionVerdict {
  const obstacle = obstacleOf(found, taken);
  const alreadyManaged = found.isOurs || found.containers.some(({ Id }) => taken.has(Id));
  const none = { adoptable: false, needsTrust: [], alreadyManaged };
  if (obstacle !== undefined) return { ...none, warnings: [obstacle] };
  // Checked alone, so that a problem of one service does not affect the others.
  const chosen = { key: freeName(found.service, new Set()), found, config: null };
  try {
    const project = readServiceEntries('scan', [serviceEntryOf(chosen, survey)]);
    const needsTrust = trustReasons(project, [chosen], survey).map(({ reason }) => reason);
    const unsupported = project.warnings.map(({ message }) => message);
    return {
      ...none,
      adoptable: true,
      needsTrust,
      warnings: [...adoptionWarnings(found, group), ...unsupported],
    };
  } catch (error) {
    if (!(error instanceof ComposeError)) throw error;
    const problem = error.problems[0] ? problemText(error.problems[0]) : error.message;
    return { ...none, warnings: [`it cannot be written as a compose file: ${problem}`] };
  }
}
