import { afterAll, beforeAll, describe } from 'vitest';
import { has } from '../../../server/test/rig/parts.ts';
import { until } from '../../../server/test/rig/until.ts';
import { runPage } from './page.ts';
import { composeFile, type ServerStage, startServerStage } from './server-stage.ts';

describe.runIf(has('docker') && has('sshd') && has('compose'))('migration', () => {
  let rig: ServerStage;
  beforeAll(async () => {
    rig = await startServerStage(['ghcr.io/acme/shop:1.4', 'ghcr.io/acme/notes:1.4', 'ghcr.io/acme/notes:1.5']);
    await composeUp('shop', 'ghcr.io/acme/shop:1.4', 8080);
  }, 300_000);
  afterAll(() => rig?.close());

  async function composeUp(name: string, image: string, port: number): Promise<void> {
    const file = `/srv/${name}/compose.yaml`;
    rig.ssh(`mkdir /srv/${name} && cat > ${file} && docker compose -f ${file} up -d`, composeFile(image, port));
    await until(`${name} answers`, async () => (await fetch(`http://${rig.server.address}:${port}`)).ok);
  }

  runPage('guides/migration.md', () => rig.stage);
  runPage('guides/migrate-from-compose.md', () => ({
    ...rig.stage,
    values: [...rig.stage.values!, ['.apps.example.com', '.apps.example.com:8000']],
    before: { 'curl http://203.0.113.7:8081': () => composeUp('notes', 'ghcr.io/acme/notes:1.4', 8081) },
  }));
});
