import { z } from 'zod';
import { one } from '../../../http/answers.ts';
import { AccessBody, Deployment } from '../../deployments/port.ts';
import { Project, ProjectBody, VariablesBody } from '../../projects/port.ts';

/** A project that comes from another instance, and what is to be deployed of it. */
export const HostedBody = z.object({
  key: z
    .string()
    .regex(/^prm_[a-z0-9]{26}$/, { error: 'must be the name of a promotion' })
    .describe('Names the call: the same one again deploys nothing a second time.'),
  project: ProjectBody.omit({ trusted: true, serverId: true }),
  variables: VariablesBody.shape.variables.describe('All of them: what is not named is removed.'),
  deployKey: z
    .object({
      publicKey: z
        .string()
        .max(5000)
        .regex(/^ssh-[a-z0-9-]+ [A-Za-z0-9+/=]+( |$)/),
      privateKey: z.string().max(20_000),
    })
    .nullable()
    .describe('What its repository is read with over ssh.'),
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
      .describe(
        'As `POST /api/deployments` does it: with the services that the active release was given by a request.',
      ),
  }),
});
export type HostedBody = z.output<typeof HostedBody>;

export const Hosted = one(z.object({ project: Project, deployment: Deployment }));

export const hostedParams = z.object({
  id: z.string().regex(/^prj_[a-z0-9]{26}$/, { error: 'must be the id of a project' }),
});
