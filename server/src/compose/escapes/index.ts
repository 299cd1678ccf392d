import type { ComposeProject } from '../project.ts';
import type { ComposePort, ComposeService } from '../service.ts';
import { buildEscapes } from './build.ts';
import type { Escape } from './escape.ts';
import { isolationEscapes } from './isolation.ts';
import { mountEscapes } from './mounts.ts';
import { namespaceEscapes } from './namespaces.ts';
import { resourceEscapes } from './resources.ts';

/**
 * Returns all settings of a service with access to the machine. Works on the model, which is all that is ever
 * applied; anything not known to be harmless counts. Symbolic links are checked when files are opened.
 */
export function escapesOf(service: ComposeService): Escape[] {
  const found = [
    ...isolationEscapes(service),
    ...namespaceEscapes(service),
    ...mountEscapes(service),
    ...(service.build ? buildEscapes(service.build) : []),
  ];
  return found.map(({ field, reason, at }) => {
    const { file, line } = at ?? service.places[field.split('.')[0]!] ?? service.at;
    return { service: service.name, field, reason, file, line };
  });
}

/** Returns the escapes of all services and shared resources. */
export const projectEscapes = (project: ComposeProject): Escape[] => [
  ...project.services.flatMap(escapesOf),
  ...resourceEscapes(project),
];

/** A host port that a service requests; the caller decides whether it is allowed. */
export interface HostPort extends ComposePort {
  service: string;
}

export const hostPorts = (project: Pick<ComposeProject, 'services'>): HostPort[] =>
  project.services.flatMap(({ name, ports }) =>
    ports.filter(({ published }) => published && published.from > 0).map((port) => ({ ...port, service: name })),
  );
