import { type Schemas, unwrap } from '@mooring/client';
import { useRef } from 'react';
import { client, useChange } from '../../api.ts';
import type { Candidate } from './candidate.ts';

export type NewApp = {
  candidate: Candidate;
  project: {
    name: string;
    serverId: string | null;
    rootDirectory?: string;
    installCommand?: string | null;
    buildCommand?: string | null;
    startCommand?: string | null;
    releaseCommand?: string | null;
    outputDirectory?: string | null;
    port?: number | null;
    publicEndpoints?: Schemas['PublicEndpoint'][];
    trusted?: boolean;
  };
  variables: Record<string, { value: string; secret: boolean; buildTime: boolean }>;
  volumes: { name: string; path: string }[];
};

/** Creates the project with its variables and volumes, and deploys it. After a failure it resumes where it stopped. */
export function useDeployNew(onDeployed: (deploymentId: string) => Promise<void>) {
  const done = useRef<{ projectId?: string; volumes: Set<string> }>({ volumes: new Set() });
  const deploy = useChange(async ({ candidate, project, variables, volumes }: NewApp) => {
    const id = (done.current.projectId = await ensured(done.current.projectId, {
      ...project,
      source: candidate.source,
    }));
    const params = { path: { id } };
    if (Object.keys(variables).length)
      await unwrap(client.PATCH('/api/projects/{id}/variables', { params, body: { variables } }));
    for (const { name, path } of volumes.filter((each) => !done.current.volumes.has(each.name))) {
      await unwrap(client.POST('/api/projects/{id}/volumes', { params, body: { name, path } }));
      done.current.volumes.add(name);
    }
    await onDeployed(await deployed(id, candidate, Object.keys(variables)));
  });
  /** Deletes the project of a failed attempt. */
  const discard = async () => {
    const id = done.current.projectId;
    if (id !== undefined) await unwrap(client.DELETE('/api/projects/{id}', { params: { path: { id } } }));
  };
  return { deploy, discard };
}

type Project = NewApp['project'] & { source: Candidate['source'] };

/** Updates a project that was created before the failure to the form's current values. */
async function ensured(projectId: string | undefined, body: Project): Promise<string> {
  if (projectId === undefined) return (await unwrap(client.POST('/api/projects', { body }))).data.id;
  return (await unwrap(client.PATCH('/api/projects/{id}', { params: { path: { id: projectId } }, body }))).data.id;
}

async function deployed(projectId: string, candidate: Candidate, variables: string[]): Promise<string> {
  const { uploadSessionId, image } = candidate;
  if (!uploadSessionId && !image)
    return (await unwrap(client.POST('/api/deployments', { body: { projectId } }))).data.id;
  const port = image?.port ? { port: image.port, ports: [String(image.port)] } : {};
  const services = image && [{ name: 'app', image: image.image, environment: variables, ...port }];
  const body = { projectId, ...(uploadSessionId && { uploadSessionId }), ...(services && { services }) };
  return (await unwrap(client.POST('/api/deployments/build/access', { body }))).deployment_id;
}
