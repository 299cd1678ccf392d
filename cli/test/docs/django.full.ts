import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe } from 'vitest';
import { ownerToken } from '../../../server/test/rig/app.ts';
import { json } from '../../../server/test/rig/deploy.ts';
import { type PackageIndex, startPackageIndex } from '../../../server/test/rig/package-index.ts';
import { freePort } from '../../../server/test/rig/ports.ts';
import { type Service, startService } from '../../../server/test/rig/service.ts';
import { debianWheels, pythonPath } from '../../../server/test/rig/wheels.ts';
import { runPage } from './page.ts';

const packages = { django: ['asgiref', 'sqlparse', 'pytz'], asgiref: [], sqlparse: [], pytz: [] };
const wheels = debianWheels({ ...packages, gunicorn: ['packaging'], packaging: [], whitenoise: [] });
const isPacked = (name: string) => wheels && readdirSync(wheels).some((file) => file.startsWith(`${name}-`));

/** With Debian's Django, from an index of our own. */
describe.runIf(['django', 'gunicorn', 'whitenoise'].every(isPacked))('a Django app', () => {
  let service: Service;
  let index: PackageIndex;
  let edgePort: string;
  beforeAll(async () => {
    index = await startPackageIndex(wheels!);
    edgePort = String(await freePort());
    service = await startService({ env: { PATH: pythonPath, MOORING_EDGE_PORT: edgePort } });
  });
  afterAll(async () => {
    index?.close();
    await service?.stop();
  });

  /** The page sets the index at its end. */
  async function setIndex(): Promise<void> {
    const { data } = await json<{ data: { id: string }[] }>(service.get('/api/projects'));
    const variables = { PIP_INDEX_URL: { value: index.url, secret: false, buildTime: true } };
    await json(service.patch(`/api/projects/${data[0]!.id}/variables`, { variables }));
  }

  runPage('guides/django.md', () => ({
    values: [
      ['4680', edgePort],
      ['https://pypi.example.com/simple/', index.url],
    ],
    env: { MOORING_URL: service.url, MOORING_TOKEN: ownerToken },
    typed: { 'mooring env set journal DJANGO_SUPERUSER_PASSWORD': ['correct horse battery'] },
    before: { 'mooring deploy --project journal': setIndex },
  }));
});
