import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { begin, ensureProject, folderOf } from '../../server/test/rig/deploy.ts';
import { makeImage, node } from '../../server/test/rig/docker-images.ts';
import { type DockerService, startDockerService } from '../../server/test/rig/docker-service.ts';
import { has } from '../../server/test/rig/parts.ts';
import { pictures } from './pictures.ts';

const owner = { email: 'ada@example.org', password: 'correct horse battery' };
const markup = `<img src=x onerror="document.title='taken'">`;

const program = (text: string) =>
  `require('node:http').createServer((q, r) => r.end('${text}')).listen(3000, () => console.log('${text} listens')); process.on('SIGTERM', () => process.exit(0))`;
const crash = `console.error(${JSON.stringify(markup)}); process.exit(3)`;

function folder(web: string, job: string, volume = 'data'): string {
  const service = (name: string, code: string, rest = '') =>
    `  ${name}:\n    image: ${node.name}\n    command: ${JSON.stringify(['node', '-e', code])}\n${rest}`;
  const all = [
    service('web', program(web), '    ports: ["3000"]\n'),
    service('background-job', job),
    service('db', program(`db ${web}`), `    volumes: ["${volume}:/data"]\n`),
  ];
  return folderOf({ 'compose.yaml': `services:\n${all.join('')}volumes:\n  ${volume}:\n` });
}

describe.runIf(has('chromium') && has('docker'))('several services in a browser', () => {
  let rig: DockerService;
  let browser: Browser;
  let ada: Visitor;
  let project: string;

  beforeAll(async () => {
    const { email: MOORING_ADMIN_EMAIL, password: MOORING_ADMIN_PASSWORD } = owner;
    rig = await startDockerService({ MOORING_ADMIN_EMAIL, MOORING_ADMIN_PASSWORD });
    await makeImage(rig.docker.client, node);
    browser = await startBrowser();
    ada = await visit(browser, rig.service.url);
    await signIn(ada, owner);
    project = await ensureProject(rig.service, `Shop ${markup}`);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await rig?.close();
  });

  const row = (who: Visitor, name: string) => who.page.getByRole('row').filter({ hasText: name });
  const badge = (who: Visitor, title: string) => who.page.getByText(title, { exact: true }).first();
  const open = async (...parts: Parameters<typeof folder>) => {
    const id = await begin(rig.service, project, folder(...parts));
    await ada.page.goto(`/deployments/${id}`);
    return id;
  };

  it('shows the progress of each, and its planned change', async () => {
    await open('one', program('job'));
    await row(ada, 'background-job').getByText('Ready').waitFor({ timeout: 60_000 });
    await row(ada, 'db').getByText('Add').waitFor();
    await badge(ada, 'Ready').waitFor();
    await pictures(ada, 'ready');
  }, 90_000);

  it('asks for a decision when some have failed, applies it, and treats output as text', async () => {
    const id = await open('two', crash);
    await ada.page.getByRole('heading', { name: 'Action required' }).waitFor({ timeout: 60_000 });
    expect(await row(ada, 'background-job').textContent()).toContain(markup);
    await row(ada, 'db').getByText('the previous version is stopped first').waitFor();
    await row(ada, 'db').getByText('it writes to the volume data').waitFor();
    expect(await ada.page.locator('main img').count()).toBe(0);
    await pictures(ada, 'pending');
    const grace = await viewer();
    await grace.page.goto(`/deployments/${id}`);
    await grace.page.getByText('Someone with write access').waitFor();
    expect(await grace.page.getByRole('button', { name: /^(Keep|Reject)$/ }).count()).toBe(0);
    await grace.close();
    await ada.page.getByRole('button', { name: 'Reject' }).click();
    await badge(ada, 'Rejected').waitFor({ timeout: 60_000 });
    await row(ada, 'web').getByText('Rolled back').waitFor();
    await ada.page.getByText('Some services failed, and it was rejected').waitFor();
    await pictures(ada, 'rejected');
  }, 120_000);

  it('keeps the working services, and lists deployments on the overview', async () => {
    await open('three', crash);
    await ada.page.getByRole('button', { name: 'Keep' }).click({ timeout: 60_000 });
    await badge(ada, 'Ready').waitFor();
    await ada.page.goto('/');
    const recent = ada.page.getByRole('link', { name: `Shop ${markup}` }).filter({ hasText: 'production' });
    await recent.first().waitFor();
    expect(await recent.count()).toBe(3);
    await pictures(ada, 'overview');
    await recent.filter({ hasText: 'Rejected' }).click();
    await ada.page.getByRole('heading', { name: `Deployment of Shop ${markup}` }).waitFor();
    expect(await ada.page.title()).toBe(`Deployment of Shop ${markup} · Mooring`);
    expect(ada.complaints).toEqual([]);
  }, 120_000);

  it('routes a domain to one of the services', async () => {
    await ada.page.goto(`/projects/${project}/domains`);
    await ada.page.getByRole('button', { name: 'Add domain' }).click();
    await ada.page.getByLabel('Name', { exact: true }).fill('db.example.com');
    const service = ada.page.getByLabel('Service', { exact: true });
    await service.selectOption('db');
    expect(await service.locator('option').count()).toBeGreaterThan(2);
    await pictures(ada, 'domain-service');
    await ada.page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click();
    const item = ada.page.getByRole('listitem', { name: 'db.example.com', exact: true });
    await item.getByText('Routes to the service db').waitFor();
  }, 60_000);

  it('scales one service, and says why another is limited to one replica', async () => {
    await ada.page.goto(`/projects/${project}/services`);
    const table = ada.page.getByRole('table', { name: 'Services', exact: true });
    const scale = async (service: string) => {
      await ada.page.getByRole('button', { name: `Scale ${service}` }).click();
      await ada.page.getByRole('button', { name: 'One replica more' }).click();
      await ada.page.getByRole('button', { name: 'Scale to 2' }).click();
    };
    await scale('web');
    await ada.page.getByText('web runs 2 replicas').waitFor({ timeout: 60_000 });
    await table.getByRole('row').filter({ hasText: 'web' }).getByText('2 of 2 ready').waitFor();
    await ada.page.getByRole('button', { name: 'Replicas of web' }).click();
    await ada.page.getByRole('button', { name: 'Show logs' }).click();
    const log = ada.page.getByRole('log');
    await log.getByText('web #2 three listens').waitFor();
    await pictures(ada, 'services-replicas');
    await ada.page.getByLabel('Service of the log').selectOption('background-job');
    await log.getByText('job listens').waitFor();
    expect(await log.getByText('three listens').count()).toBe(0);
    await scale('db');
    await ada.page.getByText(/^Replicas: db can have one replica only: it writes to the volume data/).waitFor();
    await ada.page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(ada.complaints).toEqual([]);
  }, 90_000);

  it('asks before data is left behind', async () => {
    await open('four', program('job'), 'other');
    await ada.page.getByText('db has the volume other at /data in place of the volume data').first().waitFor();
    await pictures(ada, 'question');
    // The answer, not the action of the same name.
    await ada.page.getByRole('button', { name: 'cancel', exact: true }).click();
    await ada.page.getByText('Failed at plan', { exact: true }).waitFor({ timeout: 30_000 });
  }, 90_000);

  async function signIn(who: Visitor, { email, password }: typeof owner): Promise<void> {
    await who.page.goto('/sign-in');
    await who.page.getByLabel('E-mail address', { exact: true }).fill(email);
    await who.page.getByLabel('Password', { exact: true }).fill(password);
    await who.page.getByRole('button', { name: 'Sign in' }).click();
    await who.page.getByRole('navigation', { name: 'Main' }).waitFor();
  }

  /** A person with read access only. */
  async function viewer(): Promise<Visitor> {
    const body = { email: 'grace@example.org', role: 'viewer' };
    const made = (await (await rig.service.post('/api/invitations', body)).json()) as { data: { url: string } };
    const grace = await visit(browser, rig.service.url);
    await grace.page.goto(made.data.url);
    await grace.page.getByLabel('Your name', { exact: true }).fill('Grace');
    await grace.page.getByLabel('Password', { exact: true }).fill(owner.password);
    await grace.page.getByRole('button', { name: 'Create account and join' }).click();
    await grace.page.getByRole('navigation', { name: 'Main' }).waitFor();
    return grace;
  }
});
