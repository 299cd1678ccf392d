import { z } from 'zod';
import { adoptionStates } from '../../../db/tables/servers.ts';

export const projectParams = z.object({ projectId: z.string().min(1).max(100) });

const ShownOriginal = z.object({
  id: z.string().describe('Of the container.'),
  name: z.string(),
  standing: z
    .enum(['in_charge', 'stopped', 'removed'])
    .describe('`in_charge`: nothing was done to it. `stopped`: for the service of the project, and kept.'),
  running: z.boolean().nullable().describe('As the server says; null when it cannot be asked.'),
});
export type ShownOriginal = z.output<typeof ShownOriginal>;

export const ShownAdoption = z
  .object({
    projectId: z.string(),
    serverId: z.string(),
    state: z
      .enum(adoptionStates)
      .describe('`adopted`: nothing was replaced yet. `switched`: something was, and can be brought back.'),
    services: z.array(z.object({ name: z.string(), originals: z.array(ShownOriginal) })),
    canUndo: z.boolean(),
  })
  .meta({ id: 'Adoption' });
export type ShownAdoption = z.output<typeof ShownAdoption>;

const warnings = z.array(z.string()).describe('What is not as somebody may expect it, a sentence each.');

export const UndoAnswer = z.object({
  success: z.literal(true),
  project_id: z.string(),
  restored: z.array(z.string()).describe('Containers that are as they were before.'),
  warnings,
});

export const ConfirmAnswer = z.object({
  success: z.literal(true),
  project_id: z.string(),
  removed: z.array(z.string()).describe('Containers that are gone for good. Their volumes stay.'),
  warnings,
});
