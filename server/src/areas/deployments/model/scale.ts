import type { Sql } from '../../../db/database.ts';
import { type ProjectSettings, settingsOf } from '../../projects/port.ts';
import { whyOnlyOne } from './exclusive.ts';
import { dataFoldersOf, type ServiceState, type Stack } from './stack.ts';

/** How many there are to be: of an app, and of services by their names. */
export type Scale = { app: number; services: Readonly<Record<string, number>> };

/** Of the projects with these ids. Their rows say whose they are: nothing that a caller sent. */
export async function selectScales(sql: Sql, projectIds: readonly string[]): Promise<Map<string, Scale>> {
  if (!projectIds.length) return new Map();
  const rows = await sql.selectFrom('projects').select(['id', 'settings']).where('id', 'in', projectIds).execute();
  return new Map(rows.map((row) => [row.id, scaleIn(settingsOf(row))]));
}

export const scaleIn = ({ replicas, scale }: Pick<ProjectSettings, 'replicas' | 'scale'>): Scale => ({
  app: replicas,
  services: scale,
});

/** The stack with as many replicas as somebody wants; else as its file says. */
export function withScale(stack: Stack, { app, services: wanted }: Scale): Stack {
  const services = stack.project.services.map((service) => ({
    ...service,
    replicas: stack.app ? app : Object.hasOwn(wanted, service.name) ? wanted[service.name]! : service.replicas,
  }));
  return { ...stack, project: { ...stack.project, services } };
}

type Version = { stack: Stack; states: readonly Pick<ServiceState, 'name' | 'image'>[] };

/** How many replicas of a service run. Whatever is wanted, there is one where two would harm each other. */
export function replicasOf({ stack, states }: Version, name: string): number {
  const service = stack.project.services.find((each) => each.name === name);
  if (!service || service.replicas < 2) return 1;
  const image = states.find((state) => state.name === name)?.image ?? null;
  return whyOnlyOne(service, image, dataFoldersOf(stack)) === undefined ? service.replicas : 1;
}

/** Their numbers, from 1 on. */
export const replicaNumbers = (version: Version, name: string): number[] =>
  Array.from({ length: replicasOf(version, name) }, (_, index) => index + 1);
