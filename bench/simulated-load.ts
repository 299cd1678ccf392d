import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../server/test/rig/postgres.ts';
import { token } from './processes.ts';
import type { BenchmarkRow } from './table.ts';

type Load = { urls: string[]; database: string; template: string; deploymentsPerMinute: number; forMs: number };

/** Deploys at a steady rate, each time another project, through both replicas in turns; and lists meanwhile. */
export function newLoad({ urls, database, template, deploymentsPerMinute, forMs }: Load) {
  const what = ['deploy', 'list of projects', 'list of deployments', 'deployment, request to ready'] as const;
  const times = Object.fromEntries(what.map((each) => [each, [] as number[]])) as Record<
    (typeof what)[number],
    number[]
  >;
  const timed = async <T>(name: (typeof what)[number], act: () => Promise<T>) => {
    const began = performance.now();
    const result = await act();
    times[name].push(performance.now() - began);
    return result;
  };
  let end = 0;
  const lists = async () => {
    for (let n = 0; Date.now() < end; n++, await sleep(200)) {
      await timed('list of projects', () => callApi(urls[n % 2]!, '/api/projects'));
      await timed('list of deployments', () => callApi(urls[n % 2]!, '/api/deployments'));
    }
  };
  const deploy = async (url: string, projectId: string) => {
    const body = { projectId };
    const made = () => callApi<{ deployment_id: string }>(url, '/api/deployments/build/access', body);
    await timed('deployment, request to ready', async () =>
      untilDeploymentEnded(url, (await timed('deploy', made)).deployment_id),
    );
  };
  const deploys = async () => {
    const count = Math.round((forMs / 60_000) * deploymentsPerMinute);
    const text = `select id from projects where id <> '${template}' order by random() limit ${count}`;
    const some = (await query(database, text)) as { id: string }[];
    // At the wanted rate, also if a request takes long.
    const began = performance.now();
    await Promise.all(
      some.map(async ({ id }, n) => {
        await sleep(Math.max(0, (n * 60_000) / deploymentsPerMinute - (performance.now() - began)));
        await deploy(urls[n % 2]!, id);
      }),
    );
  };
  async function run(): Promise<void> {
    end = Date.now() + forMs;
    await Promise.all([lists(), deploys()]);
  }
  const figures = (): BenchmarkRow[] =>
    what.map((name) => ({
      what: `${name} (median, 95 %)`,
      measured: `${percentile(times[name], 0.5)} ms, ${percentile(times[name], 0.95)} ms of ${times[name].length}`,
    }));
  return { run, figures };
}

const percentile = (all: number[], part: number): number =>
  Math.round(all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0);

/** Ends when the deployment is ready; throws if it fails, or is not ready in time. */
export async function untilDeploymentEnded(url: string, id: string): Promise<void> {
  for (const giveUp = Date.now() + 120_000; ; await sleep(200)) {
    const { data } = await callApi<{ data: { status: string; error: object | null } }>(url, `/api/deployments/${id}`);
    if (data.status === 'ready') return;
    if (data.error) throw new Error(JSON.stringify(data.error));
    if (Date.now() > giveUp) throw new Error(`deployment ${id} is still ${data.status} after 2 minutes`);
  }
}

export async function callApi<T>(url: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(
    url + path,
    body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
  );
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
