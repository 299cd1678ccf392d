import { mkdirSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { ask, begin, ended, ensureProject, events, folderOf } from '../../server/test/rig/deploy.ts';
import { makeImage, node } from '../../server/test/rig/docker-images.ts';
import { type DockerService, startDockerService } from '../../server/test/rig/docker-service.ts';
import { has } from '../../server/test/rig/parts.ts';
import { pictures } from './pictures.ts';

const owner = { email: 'ada@example.org', password: 'correct horse battery' };
if (process.env['MOORING_TEST_PICTURES']) mkdirSync(process.env['MOORING_TEST_PICTURES'], { recursive: true });

const program = (text: string, port: number) =>
  `require('node:http').createServer((q, r) => r.end('${text}')).listen(${port}); process.on('SIGTERM', () => process.exit(0))`;
const service = (name: string, text: string, port: number, rest = '') =>
  `  ${name}:\n    image: ${node.name}\n    command: ${JSON.stringify(['node', '-e', program(text, port)])}\n${rest}`;

/** A template as proxies need it: no service publishes a port. */
const template = `services:\n${service('shop-web', 'the shop', 3000, '    expose: [3000]\n')}${service('shop-api', 'the api', 4000, '    expose: [4000]\n')}`;
const reaching = `${template}    volumes: ["/var/run/docker.sock:/var/run/docker.sock"]\n`;

describe.runIf(has('chromium') && has('docker'))('public services in a browser', () => {
  let rig: DockerService;
  let browser: Browser;
  let ada: Visitor;

  beforeAll(async () => {
    const { email: MOORING_ADMIN_EMAIL, password: MOORING_ADMIN_PASSWORD } = owner;
    rig = await startDockerService({ MOORING_ADMIN_EMAIL, MOORING_ADMIN_PASSWORD });
    await makeImage(rig.docker.client, node);
    browser = await startBrowser();
    ada = await visit(browser, rig.service.url);
    await ada.page.goto('/');
    await field('E-mail address').fill(owner.email);
    await field('Password').fill(owner.password);
    await button('Sign in').click();
    await ada.page.getByRole('heading', { name: 'Deploy your first app' }).waitFor();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await rig?.close();
  });

  const text = (words: string | RegExp) => ada.page.getByText(words).first();
  const button = (name: string | RegExp) => ada.page.getByRole('button', { name, exact: true });
  const link = (name: string | RegExp) => ada.page.getByRole('link', { name });
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });
  const group = (title: string) =>
    ada.page.locator('section').filter({ has: ada.page.getByRole('heading', { name: title }) });
  const paste = async (file: string, name: string) => {
    await ada.page.goto('/new?from=compose');
    await field('Compose file').fill(file);
    await button('Continue').click();
    await field('Name').fill(name);
  };

  it('asks which service is public, and what a stack is trusted with', async () => {
    await paste(reaching, 'Reaching');
    await text('No service publishes a port. Which service should be public?').waitFor();
    expect(await field('Service').inputValue()).toBe('shop-web');
    await text('It exposes port 3000.').waitFor();
    await group('Trust').getByText('is the Docker socket, which gives full control of the machine').waitFor();
    await pictures(ada, 'reach-review');
    await button('Deploy').click();
    await ada.page.waitForURL(/deployments\/dep_/);
    await text(/mooring project trust reaching/).waitFor({ timeout: 30_000 });
    await pictures(ada, 'reach-refused');
    await link('Trust in the settings of the project').click();
    await text('The last deployment was refused, because it asks for this:').waitFor();
    await ada.page.getByLabel('This project is trusted').click();
    await pictures(ada, 'reach-trust');
    await group('Trust').getByRole('button', { name: 'Save' }).click();
    await text('Saved').waitFor();
  }, 90_000);

  it('deploys the chosen service, and shows the address of each', async () => {
    await paste(template, 'Shop');
    await field('Service').selectOption('shop-api');
    await button('Deploy').click();
    await ada.page.waitForURL(/deployments\/dep_/);
    await text('Ready').waitFor({ timeout: 60_000 });
    const url = (await link(/shop\.localhost/)
      .first()
      .getAttribute('href'))!;
    expect((await ask(url, '/')).body).toBe('the api');
    await link('Shop').first().click();
    await link('Services').click();
    const row = (name: string) => ada.page.getByRole('row').filter({ hasText: name });
    await row('shop-api')
      .getByRole('link', { name: /shop\.localhost/ })
      .waitFor();
    expect(await row('shop-web').getByRole('link').count()).toBe(0);
    await pictures(ada, 'reach-services');
    await link('Settings').last().click();
    const settings = group('Public services');
    await settings.getByRole('button', { name: 'Add service' }).click();
    await settings.getByLabel('Service', { exact: true }).last().fill('shop-web');
    await pictures(ada, 'reach-settings');
    await settings.getByRole('button', { name: 'Save' }).click();
    await text('Saved').waitFor();
  }, 120_000);

  it('routes to the port that only the built image knows', async () => {
    const dockerfile = `FROM ${node.name}\nARG LISTENS\nEXPOSE \${LISTENS}\nCMD ${JSON.stringify(['node', '-e', program('built', 3100)])}\n`;
    const compose =
      'services:\n  main:\n    build: {context: ., args: {LISTENS: "3100"}}\n  bare:\n    image: ' +
      `${node.name}\n    command: [node, -e, "setInterval(() => {}, 1e6)"]\n`;
    const project = await ensureProject(rig.service, 'built');
    const id = await begin(rig.service, project, folderOf({ 'compose.yaml': compose, Dockerfile: dockerfile }));
    const { urls, status } = await ended(rig.service, id);
    expect([status, urls.length]).toEqual(['ready', 1]);
    expect((await ask(urls[0]!, '/')).body).toBe('built');
  }, 90_000);

  it('deploys a worker whose image exposes a port on which nothing listens', async () => {
    const project = await ensureProject(rig.service, 'working');
    const compose = 'services:\n  main:\n    build: {context: ., args: {LISTENS: "3100"}}\n';
    const dockerfile = `FROM ${node.name}\nARG LISTENS\nEXPOSE \${LISTENS}\nCMD ["node", "-e", "setInterval(() => {}, 1e6)"]\n`;
    const source = folderOf({ 'compose.yaml': compose, Dockerfile: dockerfile });
    const id = await begin(rig.service, project, source);
    expect(await ended(rig.service, id)).toMatchObject({ status: 'ready', urls: [] });
    const lines = JSON.stringify(await events(rig.service, id));
    expect(lines).toContain('main gets no address: Mooring took it for the public service, but it did not come up');
    expect(lines).toContain('main does not answer as a web server');
    await ada.page.goto(`/projects/${project}/settings`);
    const settings = group('Public services');
    await settings.getByLabel('No service is public').click();
    await pictures(ada, 'reach-none');
    await settings.getByRole('button', { name: 'Save' }).click();
    await text('Saved').waitFor();
    const again = await begin(rig.service, project, source);
    expect(await ended(rig.service, again)).toMatchObject({ status: 'ready', urls: [] });
    expect(JSON.stringify(await events(rig.service, again))).not.toContain('can be reached');
  }, 150_000);

  it('says that nothing can be reached', async () => {
    const project = await ensureProject(rig.service, 'silent');
    const compose = `services:\n  quiet:\n    image: ${node.name}\n    command: [node, -e, "setInterval(() => {}, 1e6)"]\n`;
    const id = await begin(rig.service, project, folderOf({ 'compose.yaml': compose }));
    expect((await ended(rig.service, id)).status).toBe('ready');
    const lines = JSON.stringify(await events(rig.service, id));
    expect(lines).toContain('No service of this stack can be reached');
    await ada.page.goto(`/projects/${project}`);
    await text('No service of this stack can be reached').waitFor();
    await pictures(ada, 'reach-nothing');
    await ada.page.getByRole('link', { name: 'settings', exact: true }).click();
    await group('Public services').getByRole('button', { name: 'Add service' }).waitFor();
  }, 90_000);
});
