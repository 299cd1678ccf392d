import { projectEscapes, readServiceEntries, type ServiceEntry } from '../../../../compose/index.ts';
import { AppError, badRequest } from '../../../../errors.ts';
import type { ProjectSettings } from '../../../projects/port.ts';
import { requireFreePorts } from './checks.ts';
import { requireValidNames } from './names.ts';
import { escapeSentence, trustHint } from './trust.ts';

/** The project that a request defines services for. */
export interface ServicesFor {
  slug: string;
  trusted: boolean;
  mode: 'self-hosted' | 'cloud';
  hasContainers: boolean;
  /** Whether there are files to build from. */
  hasSource: boolean;
  publicEndpoints?: ProjectSettings['publicEndpoints'] | undefined;
}

/** Rejects services of a request that can never be deployed, before anything is stored. */
export function requireServices(entries: readonly ServiceEntry[], on: ServicesFor): void {
  if (!on.hasContainers)
    throw badRequest(
      'services need Docker, and this machine has none; install it and restart Mooring, or choose a server',
      'services',
    );
  const project = readServiceEntries(on.slug, entries);
  requireValidNames(project);
  const escapes = on.trusted && on.mode !== 'cloud' ? [] : projectEscapes(project);
  if (escapes.length)
    throw new AppError('bad_request', `${escapeSentence(escapes[0]!)}. ${trustHint(on)}`, {
      details: escapes.map((escape) => ({ field: escape.file, message: escapeSentence(escape) })),
    });
  if (on.mode !== 'cloud') requireFreePorts(project);
  const built = project.services.find(({ build, app }) => build ?? app);
  if (built && !on.hasSource)
    throw badRequest(
      `${built.at.file}: ${built.name} is built from source, and this project has no source; give it an image`,
      built.at.file,
    );
  const names = new Set(entries.map(({ name }) => name));
  const unknown = on.publicEndpoints?.find(({ service }) => service !== undefined && !names.has(service));
  if (unknown) throw badRequest(`publicEndpoints: services has no service ${unknown.service}`, 'publicEndpoints');
}
