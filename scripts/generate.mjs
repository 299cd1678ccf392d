// `npm run generate`: writes everything that is generated from the code. With --check it only compares.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNode24 } from './node24.mjs';
import { root } from './paths.mjs';
import { cliPage, routesPage } from './reference-pages.mjs';
import { become } from './run.mjs';

const node24 = findNode24();
if (process.execPath === node24 || process.argv.includes('--here')) await generate();
else become(node24, [...process.argv.slice(1), '--here']);

async function generate() {
  const { configurationPage, readConfig } = await import('../server/src/config.ts');
  const { composeFieldsPage } = await import('../server/src/compose/verdicts/page.ts');
  const { commands } = await import('../cli/src/commands.ts');
  const { globalOptions } = await import('../cli/src/command.ts');
  const openApi = await openApiText(readConfig);
  const files = {
    'server/openapi.json': openApi,
    'docs/reference/configuration.md': configurationPage(),
    'docs/reference/compose-fields.md': composeFieldsPage(),
    'docs/reference/cli.md': cliPage(commands, globalOptions),
    'docs/reference/api-routes.md': routesPage(openApi),
    'client/src/api.ts': await clientTypes(openApi),
  };
  const drifted = Object.entries(files).filter(
    ([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
  );
  if (process.argv.includes('--check')) {
    if (!drifted.length) return console.log('Generated files are up to date.');
    console.error(`Out of date: ${drifted.map(([path]) => path).join(', ')}. Run: npm run generate`);
    process.exit(1);
  }
  for (const [path, text] of drifted) writeFileSync(join(root, path), text);
  console.log(drifted.length ? `Wrote ${drifted.map(([path]) => path).join(', ')}` : 'Generated files are up to date.');
}

/** One document for both modes; routes of a single mode say so. */
async function openApiText(readConfig) {
  const { openApiDocument } = await import('../server/src/http/openapi.ts');
  const { version } = await import('../server/src/version.ts');
  const nameOf = ({ method, path }) => `${method} ${path}`;
  const own = await routesOf(readConfig, 'self-hosted');
  const names = new Set(own.map(nameOf));
  const others = (await routesOf(readConfig, 'cloud')).filter((route) => !names.has(nameOf(route)));
  const unmarked = others.filter(({ mode }) => mode !== 'cloud').map(nameOf);
  if (unmarked.length) throw new Error(`only in cloud mode, and not marked so: ${unmarked.join(', ')}`);
  return `${JSON.stringify(openApiDocument([...own, ...others], version), null, 2)}\n`;
}

/** Builds the service on an empty database to read its routes. */
async function routesOf(readConfig, mode) {
  const { createApp } = await import('../server/src/app.ts');
  const { openDatabase } = await import('../server/src/db/database.ts');
  const { createLog } = await import('../server/src/lib/log.ts');
  const { memoryDrivers } = await import('../server/test/rig/drivers.ts');
  const dataDir = mkdtempSync(join(tmpdir(), 'mooring-generate-'));
  try {
    const database = await openDatabase({ dataDir });
    const app = createApp({
      drivers: memoryDrivers(),
      config: readConfig({ MOORING_DATA_DIR: dataDir, MOORING_MODE: mode }),
      database,
      log: createLog('silent', 'json'),
      openApiFile: '',
      webFolder: '',
    });
    await app.stop();
    await database.db.destroy();
    return app.routes;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function clientTypes(openApi) {
  const { default: openapiTypescript, astToString } =
    await import('../client/node_modules/openapi-typescript/dist/index.mjs');
  return `// Printed from server/openapi.json by \`npm run generate\`.\n${astToString(await openapiTypescript(JSON.parse(openApi)))}`;
}
