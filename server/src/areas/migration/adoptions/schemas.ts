import { z } from '../../../lib/zod/index.ts';
import { Project, ProjectBody } from '../../projects/port.ts';

export const serverId = z.string().min(1).max(100);

export const AdoptBody = z.object({
  serverId,
  projectName: ProjectBody.shape.name,
  serviceNames: z
    .array(z.string().min(1).max(500))
    .min(1)
    .max(200)
    .describe(
      'Names from the scan: `group/service`, the service name alone if it is unique, or the name of a group for all services in it that can be adopted.',
    ),
  trusted: z
    .boolean()
    .optional()
    .describe(
      'Also adopt services with access to the machine. Only for the instance owner; the project becomes trusted.',
    ),
});
export type AdoptBody = z.output<typeof AdoptBody>;

export const AdoptAnswer = z.object({
  success: z.literal(true),
  project_id: z.string(),
  project: Project,
  adopted: z.array(z.string()),
  warnings: z.array(z.string()).describe('Differences from the original containers.'),
});
