import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, begin, ended, ensureProject, events, folderOf, json } from '../rig/deploy.ts';
import { type PackageIndex, startPackageIndex } from '../rig/package-index.ts';
import { type Service, startService } from '../rig/service.ts';
import { debianWheels, pythonPath } from '../rig/wheels.ts';

const app = folderOf({
  'requirements.txt': 'sqlparse\n',
  'app.py': `import os
from http.server import BaseHTTPRequestHandler, HTTPServer
import sqlparse

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(sqlparse.format('select 1', keyword_case='upper').encode())

HTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Handler).serve_forever()
`,
});

const wheels = debianWheels({ sqlparse: [] });
const [wheel] = wheels ? readdirSync(wheels) : [];

describe.runIf(wheel)('a Python app that runs as a process', () => {
  let service: Service;
  let index: PackageIndex;
  beforeAll(async () => {
    index = await startPackageIndex(wheels!);
    service = await startService({ env: { PATH: pythonPath } });
  });
  afterAll(async () => {
    index?.close();
    await service?.stop();
  });

  const projectWith = async (name: string, variables: Record<string, string>, fields: object = {}) => {
    const project = await ensureProject(service, name, fields);
    const all = Object.entries(variables).map(([key, value]) => [key, { value, secret: false, buildTime: true }]);
    await json(service.patch(`/api/projects/${project}/variables`, { variables: Object.fromEntries(all) }));
    return project;
  };
  const deployed = async (project: string) => ended(service, await begin(service, project, app), 200_000);

  it('uses its environment in all commands, and downloads packages once', async () => {
    const importing = (step: string) => `python -c "import sqlparse; print('${step} with', sqlparse.__file__)"`;
    const commands = { buildCommand: importing('build'), releaseCommand: importing('release') };
    // pip caches downloads over HTTPS and from trusted hosts.
    const variables = { PIP_INDEX_URL: index.url, PIP_TRUSTED_HOST: '127.0.0.1' };
    const project = await projectWith('cached', variables, { ...commands, startCommand: 'python app.py' });
    const first = await deployed(project);
    expect(first.error).toBeNull();
    expect(index.downloads()).toEqual([wheel]);
    const lines = (await events(service, first.id)).map(({ data }) => data['line']);
    for (const step of ['build', 'release'])
      expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${step} with .*/\\.venv/.*/sqlparse/`)));
    const second = await deployed(project);
    expect(second.error).toBeNull();
    expect(index.downloads()).toEqual([]);
    expect((await ask(second.urls[0]!)).body).toBe('SELECT 1');
  }, 500_000);

  it('reports an index that cannot be reached, and the setting', async () => {
    const project = await projectWith('offline', { PIP_INDEX_URL: 'http://127.0.0.1:9/simple/', PIP_RETRIES: '1' });
    const { error } = await deployed(project);
    expect(error!.message).toMatch(/pip cannot reach the package index: .*Connection refused$/);
    expect(error!.hint).toContain('`mooring env set offline PIP_INDEX_URL=<url> --plain --build-time`');
  }, 300_000);

  it('names a variable that is missing in the release command and at the start', async () => {
    const reading = `python3 -c "import os; os.environ['SECRET_KEY']"`;
    const nothing = { installCommand: ':', buildCommand: null };
    const releasing = await projectWith('releasing', {}, { ...nothing, releaseCommand: reading, startCommand: ':' });
    const starting = await projectWith('starting', {}, { ...nothing, startCommand: reading });
    for (const [project, name] of [
      [releasing, 'releasing'],
      [starting, 'starting'],
    ] as const) {
      const { error } = await deployed(project);
      expect(error!.message).toMatch(/: KeyError: 'SECRET_KEY'$/);
      expect(error!.hint).toBe(
        `SECRET_KEY is not set. Set it with \`mooring env set ${name} SECRET_KEY\` and deploy again.`,
      );
    }
  }, 300_000);
});
