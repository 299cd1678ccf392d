import type { ComposeProject } from '../project.ts';
import type { ComposePort, ComposeService } from '../service.ts';
import { buildEscapes } from './build.ts';
import type { Escape } from './escape.ts';
import { isolationEscapes } from './isolation.ts';
import { mountEscapes } from './mounts.ts';
import { namespaceEscapes } from './namespaces.ts';
import { resourceEscapes } from './resources.ts';

/** Everything of a service that would reach the machine. It is read from the model, which is all that is ever carried out;
 * what is not known to be harmless counts. Links in the source are for whoever opens the files. */
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

/** Everything of a project that would reach the machine: that of its services, and of what they share. */
export const projectEscapes = (project: ComposeProject): Escape[] => [
  ...project.services.flatMap(escapesOf),
  ...resourceEscapes(project),
];

/** A port of the machine that a service asks for; the caller decides which it may have. */
export interface HostPort extends ComposePort {
  service: string;
}

export const hostPorts = (project: Pick<ComposeProject, 'services'>): HostPort[] =>
  project.services.flatMap(({ name, ports }) =>
    ports.filter(({ published }) => published && published.from > 0).map((port) => ({ ...port, service: name })),
  );
