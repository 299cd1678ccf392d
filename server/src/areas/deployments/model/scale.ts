import type { Sql } from '../../../db/database.ts';
import { type ProjectSettings, projectSettingsOf } from '../../projects/port.ts';
import { whyOnlyOne } from './single-replica.ts';
import { dataFoldersOf, type ServiceState, type Stack } from './stack.ts';

/** Wanted replicas of an app, and of services by name. */
export type Scale = { app: number; services: Readonly<Record<string, number>> };

/** Takes no organization: the ids come from our own rows, never from a caller. */
export async function selectScales(sql: Sql, projectIds: readonly string[]): Promise<Map<string, Scale>> {
  if (!projectIds.length) return new Map();
  const rows = await sql.selectFrom('projects').select(['id', 'settings']).where('id', 'in', projectIds).execute();
  return new Map(rows.map((row) => [row.id, scaleIn(projectSettingsOf(row))]));
}

export const scaleIn = ({ replicas, scale }: Pick<ProjectSettings, 'replicas' | 'scale'>): Scale => ({
  app: replicas,
  services: scale,
});

/** Returns the stack with the wanted number of replicas, or else with the number in its file. */
export function withScale(stack: Stack, { app, services: wanted }: Scale): Stack {
  const services = stack.project.services.map((service) => ({
    ...service,
    replicas: stack.app ? app : Object.hasOwn(wanted, service.name) ? wanted[service.name]! : service.replicas,
  }));
  return { ...stack, project: { ...stack.project, services } };
}

type Version = { stack: Stack; states: readonly Pick<ServiceState, 'name' | 'image'>[] };

/** Returns the number of replicas that run: only one where two would conflict. */
export function effectiveReplicas({ stack, states }: Version, name: string): number {
  const service = stack.project.services.find((each) => each.name === name);
  if (!service || service.replicas < 2) return 1;
  const image = states.find((state) => state.name === name)?.image ?? null;
  return whyOnlyOne(service, image, dataFoldersOf(stack)) === undefined ? service.replicas : 1;
}

/** Replica numbers, starting at 1. */
export const replicaNumbers = (version: Version, name: string): number[] =>
  Array.from({ length: effectiveReplicas(version, name) }, (_, index) => index + 1);
