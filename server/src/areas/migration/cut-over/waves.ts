import { type ComposeProject, startOrder } from '../../../compose/index.ts';
import {
  type AdoptionRow,
  type OldNetwork,
  oldNetworksOf,
  type Original,
  originalsIn,
  sharedWithOriginal,
} from '../../deployments/port.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { selectProject, servicesSealLocation } from '../../projects/port.ts';
import { readDocument } from '../../../compose/document.ts';
import type { CutOverDeps } from './adoption.ts';

/** A service whose originals are restored. */
export interface RestoredService {
  service: string;
  originals: Original[];
  /** Our container has to stop before the originals start. */
  isExclusive: boolean;
  graceMs: number | null;
  oldNetworks: OldNetwork[];
}

/** Returns the order of the restore: dependencies first, independent services together. */
export async function wavesOf(
  { db, sealer }: Pick<CutOverDeps, 'db' | 'sealer'>,
  row: AdoptionRow,
): Promise<RestoredService[][]> {
  const project = await selectProject(db, row.organizationId, row.projectId);
  const known = project && (await adoptedDocument(sealer, project));
  const originals = originalsIn(row);
  const ordered = known ? startOrder(known.services) : [];
  const rest = Object.keys(originals).filter((name) => !ordered.flat().includes(name));
  return [...ordered, rest].map((names) =>
    names.flatMap((service) =>
      Object.hasOwn(originals, service) ? [goingBack(known, service, originals[service]!)] : [],
    ),
  );
}

/** Returns the services that a project has adopted. */
export async function adoptedDocument(
  sealer: CutOverDeps['sealer'],
  { id, services }: Pick<ProjectTable, 'id' | 'services'>,
): Promise<ComposeProject | undefined> {
  return services === null ? undefined : readDocument('adopted', sealer.open(services, servicesSealLocation(id)));
}

/** Whether our container has to stop before the originals start. */
export function mustStopFirst(project: ComposeProject | undefined, name: string, originals: Original[]): boolean {
  const service = project?.services.find((each) => each.name === name);
  // An unknown service is assumed not to run twice.
  return !project || !service || originals.some((each) => sharedWithOriginal(project, service, each).length > 0);
}

function goingBack(project: ComposeProject | undefined, name: string, originals: Original[]): RestoredService {
  const service = project?.services.find((each) => each.name === name);
  const isExclusive = mustStopFirst(project, name, originals);
  const oldNetworks = project && service ? oldNetworksOf(project, service, originals) : [];
  return { service: name, originals, isExclusive, graceMs: service?.stopGraceMs ?? null, oldNetworks };
}
