import { isDeepStrictEqual } from 'node:util';
import type { ProjectTable } from '../../../db/tables.ts';
import { fieldsOf, type ProjectBody, type ProjectChange } from './schemas.ts';
import { defaultSettings, type ProjectSettings, settingNames } from './settings.ts';

const defaults = {
  source: { type: 'upload' },
  rollbackWindow: 5,
  autoDeploy: true,
  requireApproval: false,
  trusted: false,
  serverId: null,
} satisfies ProjectChange;

/** Names of the fields that the change gives another value. */
export function changedFields(row: ProjectTable, change: ProjectChange): (keyof ProjectChange)[] {
  const now = fieldsOf(row);
  const given = Object.keys(change) as (keyof ProjectChange)[];
  return given.filter((field) => change[field] !== undefined && !isDeepStrictEqual(change[field], now[field]));
}

export function newRow(
  body: ProjectBody,
  own: Pick<ProjectTable, 'id' | 'organization_id' | 'slug' | 'number'>,
): ProjectTable {
  const now = Date.now();
  const { slug: _, ...fields } = body;
  return {
    ...own,
    ...columns({ ...defaults, ...defaultSettings, ...given(fields), slug: own.slug }),
    services: null,
    cloud_state: null,
    cloud_key: null,
    cloud_url: null,
    cloud_at: null,
    cloud_busy_until: null,
    deleting_at: null,
    created_at: now,
    updated_at: now,
  };
}

export const changedRow = (row: ProjectTable, change: ProjectChange): ProjectTable => ({
  ...row,
  ...columns({ ...fieldsOf(row), ...given(change) }),
  updated_at: Date.now(),
});

/** A field that is absent, or there without a value, stays as it is. */
const given = <T extends ProjectChange>(change: T): T =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as T;

function columns(fields: Required<ProjectChange>) {
  const settings = Object.fromEntries(settingNames.map((name) => [name, fields[name]])) as ProjectSettings;
  return {
    name: fields.name,
    slug: fields.slug,
    source: JSON.stringify(fields.source),
    settings: JSON.stringify(settings),
    rollback_window: fields.rollbackWindow,
    auto_deploy: fields.autoDeploy ? 1 : 0,
    require_approval: fields.requireApproval ? 1 : 0,
    trusted: fields.trusted ? 1 : 0,
    server_id: fields.serverId,
  };
}
