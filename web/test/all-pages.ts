import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { deploy, ensureProject, json } from '../../server/test/rig/deploy.ts';
import type { Connections } from './connections-rig.ts';

const tabs = ['deployments', 'logs', 'variables', 'domains', 'traffic', 'volumes', 'backups', 'services', 'settings'];
const ofOrganization =
  ' new projects git git/deliveries servers registries backups backup-destinations members tokens audit organization instance account';

type Made = { data: { id: string } };

/** Creates an instance with a project that was deployed twice and one of everything that has a page. Returns the
 * path of each page. */
export async function fillPages({ service, localRoot }: Connections, folder: string, title = (name: string) => name) {
  const project = await ensureProject(service, title('shop'));
  await ensureProject(service, title('ledger'));
  const { id: first } = await deploy(service, project, folder);
  await deploy(service, project, folder);
  const post = <T>(path: string, body: object) => json<T>(service.post(`/api/${path}`, body));
  await json(service.patch(`/api/projects/${project}/variables`, { variables: { COLOUR: title('blue') } }));
  await post(`projects/${project}/domains`, { name: 'shop.example.com' });
  await post('registries', { address: 'docker.io', username: title('ada'), password: 'hidden' });
  const endpoint = join(localRoot, 'nightly');
  const made = { name: title('Nightly'), kind: 'local', endpoint };
  const { data: destination } = await post<Made>('backup-destinations', made);
  const policy = {
    name: title('Blog'),
    projectId: project,
    schedule: '30 3 * * *',
    destinationIds: [destination.id],
    retention: { last: 7 },
  };
  const { data: nightly } = await post<Made>('backup-policies', policy);
  const { data: backup } = await post<Made>(`backup-policies/${nightly.id}/run`, {});
  await post('tokens', { name: title('ci'), permissions: ['project:list'] });
  addWorker(service.dataDir, title('builder'));
  const paths = Object.fromEntries([
    ...ofOrganization.split(' ').map((path) => [path || 'overview', path]),
    ['deployment', `deployments/${first}`],
    ['backup', `backups/${backup.id}`],
    ['project', `projects/${project}`],
    ...tabs.map((tab) => [`project/${tab}`, `projects/${project}/${tab}`]),
  ]) as Record<string, string>;
  return { project, paths };
}

/** As a worker registers itself, which needs PostgreSQL and Docker. */
function addWorker(dataDir: string, name: string): void {
  const db = new DatabaseSync(join(dataDir, 'mooring.db'), { timeout: 5000 });
  const text = 'insert into workers (id, name, platforms, labels, version, seen_at) values (?, ?, ?, ?, ?, ?)';
  db.prepare(text).run('rep_1', name, '["linux/arm64","linux/amd64"]', '["gpu"]', '0.1.0', Date.now() - 60_000);
  db.close();
}

/** Opens a page and waits until all nested queries have loaded. */
export async function openWhole(page: Page, path: string) {
  await page.goto(`/${path}`);
  const main = page.getByRole('main');
  await main.getByRole('heading', { level: 1 }).waitFor();
  for (let [seen, same] = ['', 0]; same < 4; await page.waitForTimeout(100)) {
    const now = await main.innerHTML();
    [seen, same] = [now, now === seen && !/>Loading</.test(now) ? same + 1 : 0];
  }
  return main;
}
