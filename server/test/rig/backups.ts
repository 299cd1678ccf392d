import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ownerToken } from './app.ts';
import { deploy, ensureProject, folderOf } from './deploy.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

export type BackupData = Record<string, unknown> & {
  id: string;
  status: string;
  error: { code: string; message: string } | null;
  progress: { phase: string };
  archives: { id: string; key: string; name: string; bytes: number; sha256: string }[];
};
type Answer = { status: number; text: string; body: { data: BackupData; details?: { field: string }[] } };

const program = `
// Delays or ends the next start.
if (require('node:fs').existsSync('uploads/start.cjs')) require(require('node:path').resolve('uploads/start.cjs'));
require('node:http').createServer((_, response) => response.end('ok')).listen(process.env.PORT, process.env.HOST);
const { existsSync, mkdirSync, symlinkSync, writeFileSync } = require('node:fs');
if (!existsSync('uploads/inner')) {
  mkdirSync('uploads/inner', { recursive: true });
  writeFileSync('uploads/inner/b.bin', Buffer.alloc(3_000_000, 7));
  symlinkSync('inner/b.bin', 'uploads/link');
}`;

/** Deploys an app with the volume `uploads`, which contains a file and a link, or another volume. */
export async function deployWithVolume(
  service: Service,
  name = 'uploads',
): Promise<{ project: string; volume: string; url: string }> {
  const project = await ensureProject(service, 'blog');
  await service.post(`/api/projects/${project}/volumes`, { name, path: name });
  const scripts = { start: 'node server.js' };
  const files = { 'package.json': JSON.stringify({ name: 'blog', scripts }), 'server.js': program };
  const { urls } = await deploy(service, project, folderOf(files));
  const volume = join(service.dataDir, 'volumes', project, 'production', 'uploads');
  await until('the app has written', () => existsSync(join(volume, 'link')));
  return { project, volume, url: urls[0]! };
}

let count = 0;

/** Calls of the routes of backups. */
export function backupCalls(service: () => Service) {
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(service().url + path, { method, headers, ...sent });
    const text = await response.text();
    return { status: response.status, text, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Answer['body'] };
  };
  const get = (path: string) => call('GET', path);
  const post = (path: string, body: object = {}) => call('POST', path, body);
  const finished = async (
    path: '/api/backups' | '/api/restores',
    id: string,
    withinMs = 100_000,
  ): Promise<BackupData> => {
    const look = async () => (await get(`${path}/${id}`)).body.data;
    const isOver = async () => ['completed', 'failed', 'cancelled'].includes((await look()).status);
    await until(`${path}/${id} has finished`, isOver, withinMs);
    return look();
  };
  return {
    call,
    get,
    post,
    finished,

    /** A local destination, and a policy that uses it. */
    newPolicy: async (project: string, folder: string, more: object = {}) => {
      const destination = { name: `destination ${++count}`, kind: 'local', endpoint: folder };
      const destinationId = (await post('/api/backup-destinations', destination)).body.data.id;
      const body = {
        name: `nightly ${count}`,
        projectId: project,
        schedule: '30 3 * * *',
        destinationIds: [destinationId],
        retention: { last: 2 },
        ...more,
      };
      return { destinationId, policyId: (await post('/api/backup-policies', body)).body.data.id };
    },

    begin: async (policyId: string): Promise<string> =>
      (await post(`/api/backup-policies/${policyId}/run`)).body.data.id,
    run: async (policyId: string): Promise<BackupData> =>
      finished('/api/backups', (await post(`/api/backup-policies/${policyId}/run`)).body.data.id),
    restore: async (id: string, wanted: object): Promise<BackupData> =>
      finished('/api/restores', (await post(`/api/backups/${id}/restore`, wanted)).body.data.id),
  };
}
