import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../server/test/rig/until.ts';
import { Person } from './mooring.ts';
import { startService, stopWithApps } from './service.ts';

export type Backup = { id: string; status: string; pinned: boolean; archives: { name: string; bytes: number }[] };
export type Restore = {
  id: string;
  status: string;
  undoOf: string | null;
  proof: { result: string } | null;
  progress: { phase: string; bytesDone: number };
};

const program = `
require('node:http').createServer((_, response) => response.end('ok')).listen(process.env.PORT, process.env.HOST);
require('node:fs').writeFileSync('uploads/b.bin', Buffer.alloc(2_000_000, 7));`;

/** A service with local destinations below `root`, and the app `blog` with the volume `uploads`. */
export async function startBackups() {
  const root = mkdtempSync(join(tmpdir(), 'mooring-backups-'));
  const ada = new Person();
  const service = await startService({ BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root });
  await ada.logIn(service.url);
  const folder = join(ada.home, 'blog');
  mkdirSync(join(folder, 'uploads'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'blog', scripts: { start: 'node server.js' } }));
  writeFileSync(join(folder, 'server.js'), program);
  writeFileSync(join(folder, 'uploads', 'a.txt'), 'first\n');
  const project = await ada.json<{ id: string }>(['project', 'create', 'blog']);
  await ada.run(['volume', 'add', 'blog', 'uploads', 'uploads']);
  const deployed = await ada.run(['deploy', folder, '--project', 'blog']);
  if (deployed.code !== 0) throw new Error(deployed.stderr);
  const volume = join(service.dataDir, 'volumes', project.id, 'production', 'uploads');
  await until('the app has written', () => existsSync(join(volume, 'b.bin')));
  return {
    ada,
    root,
    volume,
    write: (text: string) => writeFileSync(join(volume, 'a.txt'), text),
    content: () => readFileSync(join(volume, 'a.txt'), 'utf8'),
    addDestination: (name: string) =>
      ada.run(['destination', 'add', name, '--kind', 'local', '--set', `endpoint=${join(root, name)}`]),
    async stop() {
      await stopWithApps(service);
      ada.leave();
      rmSync(root, { recursive: true });
    },
  };
}
