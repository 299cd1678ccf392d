// `npm run pictures`: takes the screenshots of the README and the docs from the running product. Needs Chromium and
// `script`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNode24 } from './node24.mjs';
import { root } from './paths.mjs';
import { become } from './run.mjs';
import { record, terminalSvg } from './terminal-svg.mjs';

const folder = join(root, 'docs/public/pictures');
const owner = { email: 'ada@example.com', password: 'correct horse battery' };

const node24 = findNode24();
if (process.execPath === node24) await pictures();
else become(node24, process.argv.slice(1));

async function pictures() {
  const { startService } = await import('../server/test/rig/service.ts');
  const { freePort } = await import('../server/test/rig/ports.ts');
  const edgePort = String(await freePort());
  const home = mkdtempSync(join(tmpdir(), 'mooring-pictures-'));
  const service = await startService({
    env: {
      MOORING_ADMIN_EMAIL: owner.email,
      MOORING_ADMIN_PASSWORD: owner.password,
      MOORING_RUNTIME: 'process',
      MOORING_EDGE_PORT: edgePort,
    },
  });
  mkdirSync(folder, { recursive: true });
  try {
    const { ownerToken } = await import('../server/test/rig/app.ts');
    const env = { HOME: home, MOORING_URL: service.url, MOORING_TOKEN: ownerToken };
    await named(service);
    const usual = [
      [edgePort, '4680'],
      [new URL(service.url).port, '4600'],
    ];
    await terminal(home, env, usual);
    await traffic(service);
    await dashboard(service, usual);
  } finally {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function named(service) {
  const answer = await service.patch('/api/organizations/current', { name: 'Harbour Works' });
  if (!answer.ok) throw new Error(`the organization was not renamed: ${answer.status}`);
}

/** Deploys an app, breaks it, and rolls it back. */
async function terminal(home, env, usualPorts) {
  const app = join(home, 'shop');
  write(app, {
    'package.json': '{ "name": "shop", "scripts": { "build": "node build.js", "start": "node server.js" } }',
    'build.js': 'for (let i = 1; i <= 3; i++) console.log(`built module ${i} in ${i % 7} ms`);',
    'server.js': server('Ahoy'),
  });
  write(join(home, 'handbook'), { 'index.html': '<h1>Handbook</h1>' });
  const mooring = [process.execPath, join(root, 'cli/bin/mooring.mjs')];
  const at = (cwd, ...args) => record([...mooring, ...args], { cwd, env });
  const typed = [];
  const run = async (...args) => typed.push({ command: `mooring ${args.join(' ')}`, chunks: await at(app, ...args) });
  await at(join(home, 'handbook'), 'deploy');
  await run('deploy');
  write(app, { 'server.js': server('Ahoy there').replace('createServer', 'createServerX') });
  await run('deploy');
  write(app, { 'server.js': server('Ahoy there') });
  await run('deploy');
  await run('rollback', 'shop');
  const drawn = terminalSvg([typed.at(0), typed.at(-1)]);
  writeFileSync(
    join(folder, 'terminal.svg'),
    usualPorts.reduce((all, [here, usual]) => all.replaceAll(here, usual), drawn),
  );
}

function server(text) {
  return `require('node:http').createServer((q, s) => { console.log(q.method, q.url); s.end('${text}'); }).listen(process.env.PORT);`;
}

function write(at, files) {
  mkdirSync(at, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
}

async function traffic(service) {
  const { ask } = await import('../server/test/rig/deploy.ts');
  const { data } = await (await service.get('/api/projects')).json();
  for (const { url } of data) for (let i = 0; i < 120; i++) await ask(url, i % 10 ? '/' : '/cart');
  // The edge's metrics are fetched every 15 s.
  await new Promise((resolve) => setTimeout(resolve, 20_000));
}

async function dashboard(service, usualPorts) {
  const { startBrowser } = await import('../server/test/rig/browser.ts');
  const { data: projects } = await (await service.get('/api/projects')).json();
  const { id } = projects.find(({ slug }) => slug === 'shop');
  const { data: deployments } = await (await service.get(`/api/deployments?projectId=${id}`)).json();
  const failed = deployments.find(({ status }) => status === 'failed');
  const browser = await startBrowser();
  const context = await browser.newContext({ baseURL: service.url, viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.getByLabel('E-mail address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').first().waitFor();
  const paths = { overview: '/', project: `/projects/${id}`, deployment: `/deployments/${failed.id}`, new: '/new' };
  for (const [name, path] of Object.entries(paths)) {
    await page.goto(path);
    await page.waitForTimeout(2500);
    await page.evaluate(withUsualValues, usualPorts);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    }
  }
  await browser.close();
}

/** Runs in the page: replaces ports and folders by those of a real installation. */
function withUsualValues(ports) {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    const text = ports.reduce((all, [here, usual]) => all.replaceAll(here, usual), node.textContent);
    node.textContent = text.replaceAll(/\/tmp\/\S*?(?=\/releases)/g, '/var/lib/mooring');
  }
}
