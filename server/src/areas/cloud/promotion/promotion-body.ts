import type { ProjectTable } from '../../../db/tables.ts';
import { badRequest } from '../../../errors.ts';
import type { AccessDeploymentRequest } from '../../deployments/port.ts';
import { projectFieldsOf, type KeyPair, storedSource, type VariableValue } from '../../projects/port.ts';

type Carried = {
  key: string;
  project: ProjectTable;
  variables: VariableValue[];
  deployKey: KeyPair | undefined;
  wanted: AccessDeploymentRequest;
};

/** Rejects sources and targets that a cloud cannot use. */
export function requirePortable(project: ProjectTable, wanted: AccessDeploymentRequest): void {
  if (wanted.uploadSessionId !== undefined)
    throw badRequest(
      'uploaded folders cannot be deployed to the cloud; give the project a git source',
      'uploadSessionId',
    );
  if (wanted.serverId !== undefined) throw badRequest('serverId needs the deployTarget server, not cloud', 'serverId');
  const { type } = storedSource(project);
  if (type !== 'git' && type !== 'githost')
    throw badRequest('only projects with a git source can run in the cloud; this one has none', 'projectId');
}

/** Returns the body that the cloud receives: settings, variables, source and deployment. */
export function promotionBody({ key, project, variables, deployKey, wanted }: Carried) {
  const { trusted: _, serverId: __, ...fields } = projectFieldsOf(project);
  const { branch, commitSha, environment, autoStart, envVars, services, keepsServices, publicEndpoints } = wanted;
  return {
    key,
    project: fields,
    variables: Object.fromEntries(variables.map(({ key: name, ...variable }) => [name, variable])),
    deployKey: deployKey ?? null,
    deployment: { branch, commitSha, environment, autoStart, envVars, services, keepsServices, publicEndpoints },
  };
}
