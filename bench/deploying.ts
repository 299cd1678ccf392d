import { execFileSync } from 'node:child_process';
import { type Running, token } from './processes.ts';

export const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
export const ms = (value: number): string => `${Math.round(value)} ms`;

/** Returns the shortest time of several runs. */
export async function bestOf(times: number, run: (i: number) => Promise<number>): Promise<number> {
  const results = [];
  for (let i = 0; i < times; i++) results.push(await run(i));
  return Math.min(...results);
}

export const post = async <T>(service: Running, path: string, body: object): Promise<T> => {
  const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
};

type Session = { sessionId: string; upload: { url: string; headers: Record<string, string> } };

/** Uploads and starts a deployment; returns the ids. */
export async function beginDeployment(
  service: Running,
  name: string,
  folder: string,
): Promise<{ deployment: string; project: string }> {
  const { project_id } = await post<{ project_id: string }>(service, '/api/projects/ensure', { name });
  const { sessionId, upload } = await post<Session>(service, '/api/projects/folder/session', {});
  const body = execFileSync('tar', ['-C', folder, '-czf', '-', '.'], { maxBuffer: 1 << 28 });
  await fetch(upload.url, { method: 'PUT', headers: upload.headers, body });
  const access = { projectId: project_id, uploadSessionId: sessionId };
  const { deployment_id } = await post<{ deployment_id: string }>(service, '/api/deployments/build/access', access);
  return { deployment: deployment_id, project: project_id };
}

/** Measures from the folder to the first response. */
export async function deployUntilServing(
  service: Running,
  name: string,
  folder: string,
  expected: string,
): Promise<number> {
  const began = performance.now();
  const { deployment } = await beginDeployment(service, name, folder);
  await untilServed(service, deployment, expected);
  return performance.now() - began;
}

/** Follows the stream to its end, then sends one request, like a person at the command line. */
export async function untilServed(service: Running, deployment: string, expected: string): Promise<string> {
  await (await fetch(`${service.url}/api/deployments/${deployment}/stream`, { headers })).text();
  const { data } = (await (await fetch(`${service.url}/api/deployments/${deployment}`, { headers })).json()) as {
    data: { urls: string[]; error: unknown };
  };
  const [url] = data.urls;
  if (!url) throw new Error(`it does not serve: ${JSON.stringify(data.error)}`);
  const { hostname, port } = new URL(url);
  const answer = execFileSync('curl', ['-s', '-H', `host: ${hostname}`, `http://127.0.0.1:${port}/`], {
    encoding: 'utf8',
  });
  if (!answer.includes(expected)) throw new Error(`it serves ${answer.slice(0, 80)} instead of ${expected}`);
  return url;
}

/** Rolls back to the previous release. */
export async function rollBack(service: Running, name: string): Promise<number> {
  type List = { data: { id: string; active: boolean; projectId: string }[] };
  const { project_id } = await post<{ project_id: string }>(service, '/api/projects/ensure', { name });
  const { data } = (await (
    await fetch(`${service.url}/api/deployments?projectId=${project_id}`, { headers })
  ).json()) as List;
  const before = data.find(({ active }) => !active)!;
  const began = performance.now();
  const { deployment_id } = await post<{ deployment_id: string }>(
    service,
    `/api/deployments/${before.id}/rollback`,
    {},
  );
  await untilServed(service, deployment_id, 'version');
  return performance.now() - began;
}
