import { z } from 'zod';
import { Project, ProjectBody } from '../../projects/port.ts';

export const serverId = z.string().min(1).max(100);

export const AdoptBody = z.object({
  serverId,
  projectName: ProjectBody.shape.name,
  serviceNames: z
    .array(z.string().min(1).max(500))
    .min(1)
    .max(200)
    .describe('As a scan names them: `group/service`, or the service where only one has that name.'),
  trusted: z
    .boolean()
    .optional()
    .describe(
      'Take over what reaches the machine too. Only the instance owner may; the project is then a trusted one.',
    ),
});
export type AdoptBody = z.output<typeof AdoptBody>;

export const AdoptAnswer = z.object({
  success: z.literal(true),
  project_id: z.string(),
  project: Project,
  adopted: z.array(z.string()),
  warnings: z.array(z.string()).describe('What is not as it was, a sentence each.'),
});
