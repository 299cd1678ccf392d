import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { isoTime, timeField } from '../../../http/responses.ts';
import { defaultSettings, type ProjectSettings, settingFields, StoredSettings } from './settings.ts';
import { isReservedSlug, isSlug } from './slug.ts';
import { hasControl, ProjectSource, StoredProjectSource } from './source.ts';

const name = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .refine((text) => !hasControl(text), { error: 'must not have control characters' });

const slug = z
  .string()
  .max(100)
  .refine(isSlug, { error: 'must be lower-case letters, digits and single dashes between them, at most 48' })
  .refine((text) => !isReservedSlug(text), { error: 'is reserved; choose another one' });

const ownFields = {
  slug: slug.describe('Part of the generated address. Default: made from the name.'),
  source: ProjectSource,
  rollbackWindow: z.number().int().min(1).max(50).describe('Number of previous releases to keep for rollbacks.'),
  autoDeploy: z.boolean().describe('Deploy pushes automatically.'),
  requireApproval: z.boolean().describe('Ask for approval before each release.'),
  trusted: z
    .boolean()
    .describe('Allow access beyond its containers, such as host networking. Only the instance owner can set it.'),
  serverId: z
    .string()
    .min(1)
    .max(100)
    .nullable()
    .describe(
      'Server that it is deployed to; null: the machine that runs Mooring. Cannot change while a release is active.',
    ),
};

export const ProjectChange = z.object({ name, ...ownFields, ...settingFields }).partial();
export type ProjectChange = z.output<typeof ProjectChange>;

export const ProjectBody = ProjectChange.extend({ name });
export type ProjectBody = z.output<typeof ProjectBody>;

export const EnsuredProject = z.object({ success: z.literal(true), project_id: z.string(), created: z.boolean() });

export const NewAddressQuery = z.object({
  name,
  serverId: z.string().min(1).max(100).optional().describe('Server that the project would be deployed to.'),
});
export type NewAddressQuery = z.output<typeof NewAddressQuery>;

export const NewAddress = z.object({
  slug: z.string(),
  url: z.string(),
  wanted: z.string().describe('Slug made from the name.'),
  reason: z.enum(['reserved', 'taken']).nullable().describe('Why `slug` differs from `wanted`; null when it does not.'),
});

export const Project = z
  .object({
    id: z.string(),
    name: z.string(),
    ...ownFields,
    slug: z.string(),
    ...settingFields,
    url: z.string().describe('Address of production, once it is deployed.'),
    deployTarget: z.enum(['local', 'server', 'cloud']).describe('Where it runs.'),
    cloud: z
      .enum(['there', 'left'])
      .nullable()
      .describe(
        'State in the hosted cloud: `there` while it runs there, `left` when it was brought home but not removed there.',
      ),
    createdAt: timeField,
    updatedAt: timeField,
  })
  .meta({ id: 'Project' });

const readSettings = storedJson('projects.settings', StoredSettings);
export const projectSettingsOf = ({ settings }: Pick<ProjectTable, 'settings'>): ProjectSettings => ({
  ...defaultSettings,
  ...readSettings(settings),
});

const readSource = storedJson('projects.source', StoredProjectSource);
export const storedSource = ({ source }: Pick<ProjectTable, 'source'>): ProjectSource => readSource(source);

/** Returns the current values of all fields that can change. */
export const projectFieldsOf = (row: ProjectTable): Required<ProjectChange> => ({
  name: row.name,
  slug: row.slug,
  source: storedSource(row),
  ...projectSettingsOf(row),
  rollbackWindow: row.rollbackWindow,
  autoDeploy: row.autoDeploy === 1,
  requireApproval: row.requireApproval === 1,
  trusted: row.trusted === 1,
  serverId: row.serverId,
});

export const presentProject = (row: ProjectTable, url: string): z.input<typeof Project> => ({
  id: row.id,
  ...projectFieldsOf(row),
  url: row.cloudState === 'there' ? (row.cloudUrl ?? url) : url,
  deployTarget: row.cloudState === 'there' ? 'cloud' : row.serverId === null ? 'local' : 'server',
  cloud: row.cloudState === 'there' ? 'there' : row.cloudState === null ? null : 'left',
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});
