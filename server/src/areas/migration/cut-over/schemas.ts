import { z } from '../../../lib/zod/index.ts';
import { adoptionStates } from '../../../db/tables/servers.ts';

export const projectParams = z.object({ projectId: z.string().min(1).max(100) });

const ShownOriginal = z.object({
  id: z.string().describe('Of the container or Swarm service.'),
  name: z.string(),
  standing: z
    .enum(['in_charge', 'stopped', 'removed'])
    .describe('`in_charge`: unchanged. `stopped`: replaced by the project and kept.'),
  running: z.boolean().nullable().describe('Reported by the server; null when it cannot be reached.'),
});
export type ShownOriginal = z.output<typeof ShownOriginal>;

export const ShownAdoption = z
  .object({
    projectId: z.string(),
    serverId: z.string(),
    state: z
      .enum(adoptionStates)
      .describe('`adopted`: no container was replaced yet. `switched`: containers were replaced and can be restored.'),
    services: z.array(
      z.object({
        name: z.string(),
        originals: z.array(ShownOriginal),
        stopsFirst: z
          .boolean()
          .describe('An undo stops the service before its originals start, because they share a port or a volume.'),
      }),
    ),
    warnings: z.array(z.string()).describe('Differences from the original containers, as found by the adoption.'),
    canUndo: z.boolean(),
  })
  .meta({ id: 'Adoption' });
export type ShownAdoption = z.output<typeof ShownAdoption>;

const warnings = z.array(z.string()).describe('Warnings about the result.');

export const UndoAnswer = z.object({
  success: z.literal(true),
  project_id: z.string(),
  restored: z.array(z.string()).describe('Containers that run again as before.'),
  warnings,
});

export const ConfirmBody = z.object({
  force: z.boolean().default(false).describe('Also delete files that the originals wrote outside volumes.'),
});

export const ConfirmAnswer = z.object({
  success: z.literal(true),
  project_id: z.string(),
  removed: z.array(z.string()).describe('Containers that were removed. Their volumes are kept.'),
  warnings,
});
