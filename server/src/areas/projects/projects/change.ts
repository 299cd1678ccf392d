import { isDeepStrictEqual } from 'node:util';
import type { ProjectTable } from '../../../db/tables.ts';
import { projectFieldsOf, type ProjectBody, type ProjectChange } from './schemas.ts';
import { defaultSettings, type ProjectSettings, settingNames } from './settings.ts';

const defaults = {
  source: { type: 'upload' },
  rollbackWindow: 5,
  autoDeploy: true,
  requireApproval: false,
  trusted: false,
  serverId: null,
} satisfies ProjectChange;

/** Returns the fields whose value the change modifies. */
export function changedFields(row: ProjectTable, change: ProjectChange): (keyof ProjectChange)[] {
  const now = projectFieldsOf(row);
  const given = Object.keys(change) as (keyof ProjectChange)[];
  return given.filter((field) => change[field] !== undefined && !isDeepStrictEqual(change[field], now[field]));
}

export function newProjectRow(
  body: ProjectBody,
  own: Pick<ProjectTable, 'id' | 'organizationId' | 'slug' | 'number'>,
): ProjectTable {
  const now = Date.now();
  const { slug: _, ...fields } = body;
  return {
    ...own,
    ...columns({ ...defaults, ...defaultSettings, ...given(fields), slug: own.slug }),
    services: null,
    cloudState: null,
    cloudKey: null,
    cloudUrl: null,
    cloudAt: null,
    cloudBusyUntil: null,
    deletingAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

export const changedRow = (row: ProjectTable, change: ProjectChange): ProjectTable => ({
  ...row,
  ...columns({ ...projectFieldsOf(row), ...given(change) }),
  updatedAt: Date.now(),
});

/** Drops undefined fields, which keep their value. */
const given = <T extends ProjectChange>(change: T): T =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as T;

function columns(fields: Required<ProjectChange>) {
  const settings = Object.fromEntries(settingNames.map((name) => [name, fields[name]])) as ProjectSettings;
  return {
    name: fields.name,
    slug: fields.slug,
    source: JSON.stringify(fields.source),
    settings: JSON.stringify(settings),
    rollbackWindow: fields.rollbackWindow,
    autoDeploy: fields.autoDeploy ? 1 : 0,
    requireApproval: fields.requireApproval ? 1 : 0,
    trusted: fields.trusted ? 1 : 0,
    serverId: fields.serverId,
  };
}
