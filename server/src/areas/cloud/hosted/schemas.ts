import { z } from '../../../lib/zod/index.ts';
import { itemResponse } from '../../../http/responses.ts';
import { AccessBody, Deployment } from '../../deployments/port.ts';
import { Project, ProjectBody, VariablesBody } from '../../projects/port.ts';

/** A promoted project and its deployment. */
export const HostedBody = z.object({
  key: z
    .string()
    .regex(/^prm_[a-z0-9]{26}$/, { error: 'must be the key of a promotion' })
    .describe('Idempotency key: repeating the call does not deploy again.'),
  project: ProjectBody.omit({ trusted: true, serverId: true }),
  variables: VariablesBody.shape.variables.describe('The complete set: variables that are missing here are removed.'),
  deployKey: z
    .object({
      publicKey: z
        .string()
        .max(5000)
        .regex(/^ssh-[a-z0-9-]+ [A-Za-z0-9+/=]+( |$)/),
      privateKey: z.string().max(20_000),
    })
    .nullable()
    .describe('Deploy key of the project.'),
  deployment: AccessBody.omit({
    projectId: true,
    uploadSessionId: true,
    buildStrategy: true,
    deployTarget: true,
    serverId: true,
  }).extend({
    keepsServices: z
      .boolean()
      .optional()
      .describe('Deploys the services of the active release again, as `POST /api/deployments` does.'),
  }),
});
export type HostedBody = z.output<typeof HostedBody>;

export const Hosted = itemResponse(z.object({ project: Project, deployment: Deployment }));

export const hostedParams = z.object({
  id: z.string().regex(/^prj_[a-z0-9]{26}$/, { error: 'must be the id of a project' }),
});
