import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { newFolder } from '../../server/test/rig/children.ts';
import { ask, deploy, nodeApp } from '../../server/test/rig/deploy.ts';
import { startGitServer } from '../../server/test/rig/git-server.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { pictures } from './pictures.ts';

const owner = { email: 'ada@example.org', password: 'correct horse battery' };

/** Responds with a variable that its .env.example names. */
const greeter = () => {
  const folder = nodeApp('greeter');
  writeFileSync(join(folder, '.env.example'), 'GREETING=hello\nUNUSED=\n');
  writeFileSync(join(folder, '.env'), 'SECRET_OF_MINE=stays here\n');
  return folder;
};

describe.runIf(has('chromium'))('a new app from a browser', () => {
  let service: Service;
  let browser: Browser;
  let ada: Visitor;

  beforeAll(async () => {
    const { email: MOORING_ADMIN_EMAIL, password: MOORING_ADMIN_PASSWORD } = owner;
    service = await startService({ env: { MOORING_ADMIN_EMAIL, MOORING_ADMIN_PASSWORD } });
    browser = await startBrowser();
    ada = await visit(browser, service.url);
    await ada.page.goto('/');
    await field('E-mail address').fill(owner.email);
    await field('Password').fill(owner.password);
    await button('Sign in').click();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const text = (words: string | RegExp) => ada.page.getByText(words).first();
  const button = (name: string | RegExp) => ada.page.getByRole('button', { name, exact: true });
  const link = (name: string | RegExp) => ada.page.getByRole('link', { name });
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });
  const heading = (name: string | RegExp) => ada.page.getByRole('heading', { name, exact: true });

  it('loads at most 170 kB of JavaScript at first', async () => {
    const sizes: Promise<number>[] = [];
    let began = Infinity;
    // Files of the page before may still arrive, and have no content after the reload.
    const count = (response: Response) => {
      if (!response.url().endsWith('.js') || response.request().timing().startTime < began) return;
      sizes.push(response.body().then((body) => gzipSync(body).length));
    };
    await heading('Deploy your first app').waitFor();
    ada.page.on('response', count);
    began = Date.now();
    await ada.page.reload();
    await heading('Deploy your first app').waitFor();
    await ada.page.waitForLoadState('load');
    ada.page.off('response', count);
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThanOrEqual(170_000);
  });

  it('is deployed from a folder in two clicks, without ignored files', async () => {
    await heading('Deploy your first app').waitFor();
    await pictures(ada, 'new-first');
    await link('Folder or archive').click();
    await ada.page.locator('input[webkitdirectory]').setInputFiles(greeter());
    await heading('Detected').waitFor();
    await text('.env stayed on your computer').waitFor();
    await field('Name').fill('Greeter');
    await field('Value of GREETING').fill('ahoy');
    await pictures(ada, 'new-review');
    await button('Deploy').click();
    await ada.page.waitForURL(/deployments\/dep_/);
    await text('Ready').waitFor({ timeout: 30_000 });
    await pictures(ada, 'new-deployed');
    const url = (await ada.page
      .getByRole('link', { name: /greeter\.localhost/ })
      .first()
      .getAttribute('href'))!;
    expect((await ask(url, '/env')).body).toContain('"GREETING":"ahoy"');
    expect((await ask(url, '/env')).body).not.toContain('SECRET_OF_MINE');
  }, 60_000);

  it('shows its state on the overview, without a reload', async () => {
    await ada.page.goto('/');
    await link(/Greeter.*Serving/)
      .first()
      .waitFor();
    await pictures(ada, 'overview-one');
    await link(/Greeter.*localhost/)
      .first()
      .click();
    await ada.page.waitForURL(/projects\/prj_/);
    await text('Healthy').waitFor();
    await pictures(ada, 'project-overview');
  });

  it('stays serving after failed deployments, on its card and on its page', async () => {
    const [id] = /prj_\w+/.exec(ada.page.url())!;
    const broken = () => nodeApp('broken', '', { build: 'exit 1' });
    // More than the page lists.
    for (let failures = 0; failures < 7; failures++)
      expect((await deploy(service, id, broken())).status).toBe('failed');
    await text('The last deployment failed. The previous release keeps serving.').waitFor();
    await text('Healthy').waitFor();
    await pictures(ada, 'project-last-failed');
    await ada.page.goto('/projects');
    await link(/Greeter.*Serving.*Last deployment failed/).waitFor();
    await pictures(ada, 'projects-last-failed');
    await link(/Greeter/).click();
    await link('See why').click();
    await text('Failed at build').waitFor();
    await ada.page.goBack();
  }, 60_000);

  it('gets variables from a pasted .env file, and applies them', async () => {
    await link('Variables').click();
    await text('GREETING').waitFor();
    await button('Add variables').click();
    await button('Paste a .env file').click();
    await field('Text of a .env file').fill('GREETING="bon voyage"\nAPI_TOKEN=12345 # the old one');
    await button('Add 2 variables').click();
    await pictures(ada, 'variables-add');
    await button('Set 2 variables').click();
    await text('2 variables have changed since the active release').waitFor();
    const shown = ada.page.getByRole('table', { name: 'Variables' });
    await shown.getByText('Secret').waitFor();
    expect(await shown.textContent()).not.toContain('12345');
    await button('Actions for API_TOKEN').click();
    await ada.page.getByRole('menuitem', { name: 'Edit' }).click();
    await ada.page.getByRole('checkbox', { name: 'Secret' }).click();
    await button('Save').click();
    await ada.page.getByText('Value is required to make a secret readable.', { exact: true }).waitFor();
    await button('Cancel').click();
    await pictures(ada, 'variables');
    await button('Apply now').click();
    await ada.page.waitForURL(/deployments\/dep_/);
    await text('Ready').waitFor({ timeout: 30_000 });
  }, 60_000);

  it('reports missing and skipped variables, and keeps line breaks and typed values', async () => {
    await ada.page.goBack();
    await button('Add variables').click();
    await button('Set variable').click();
    await text('Enter a name and a value').waitFor();
    await field('Name of variable 1').pressSequentially('KEEL=oak');
    expect(await field('Value of KEEL').inputValue()).toBe('oak');
    await button('Paste a .env file').click();
    await field('Text of a .env file').fill('EMPTY=\nBAD-NAME=1\nCERT="one\ntwo"');
    await text('Line 2 is not a variable').waitFor();
    await button('Add 2 variables').click();
    await field('Value of CERT').press('End');
    await field('Value of CERT').pressSequentially('!');
    await ada.page.mouse.click(5, 5);
    await field('Name of variable 1').fill('BAD-NAME');
    await button('Set 3 variables').click();
    await text('BAD-NAME must be letters, digits and underscores').waitFor();
    await field('Name of variable 1').fill('KEEL');
    const sent = ada.page.waitForRequest((request) => request.method() === 'PATCH');
    await button('Set 3 variables').click();
    expect((await sent).postDataJSON().variables).toMatchObject({
      KEEL: { value: 'oak' },
      EMPTY: { value: '' },
      CERT: { value: expect.stringMatching(/^one!?\ntwo!?$/) },
    });
    await text('3 variables are set').waitFor();
  });

  it('undoes the removal of a variable', async () => {
    await button('Actions for GREETING').click();
    await ada.page.getByRole('menuitem', { name: 'Remove' }).click();
    await text('GREETING is removed').waitFor();
    await button('Undo').click();
    await ada.page.getByRole('table', { name: 'Variables' }).getByText('bon voyage').waitFor();
  });

  it('saves settings, and shows errors beside the field', async () => {
    await link('Settings').click();
    await field('Memory in MB').fill('lots');
    const resources = ada.page.locator('section').filter({ hasText: 'Memory in MB' });
    await resources.getByRole('button', { name: 'Save' }).click();
    await text('Memory in MB must be a number.').waitFor();
    await field('Port').fill('abc');
    await field('Path').fill('no slash');
    const start = ada.page.locator('section').filter({ hasText: 'Start and health check' });
    await start.getByRole('button', { name: 'Save' }).click();
    await text(/must begin with a slash/).waitFor();
    await text('Port must be a number.').waitFor();
    await field('Port').fill('');
    await field('Path').fill('/health');
    await start.getByRole('button', { name: 'Save' }).click();
    await text('Settings were changed').waitFor();
    await ada.page.reload();
    expect(await field('Path').inputValue()).toBe('/health');
    await pictures(ada, 'settings');
  });

  it('is deployed from a repository by a URL that can be shared', async () => {
    const git = await startGitServer();
    onTestFinished(() => git.stop());
    git.push('team/shop', nodeApp('shop'), 'First');
    await ada.page.goto('/new?from=git');
    await button('Continue').click();
    await text('URL must not be empty.').waitFor();
    await link('Connect a git host').waitFor();
    await field('URL').fill(git.url('team/missing'));
    await button('Continue').click();
    await text('cannot be read').waitFor({ timeout: 20_000 });
    await pictures(ada, 'new-unreadable');
    await link('Choose another source').click();
    await field('URL').fill(git.url('team/shop'));
    await button('Continue').click();
    await text('Start with').waitFor({ timeout: 20_000 });
    await ada.page.reload();
    await text('Start with').waitFor({ timeout: 20_000 });
    expect(await field('Name').inputValue()).toBe('shop');
  }, 40_000);

  it('is created from a pasted compose file, with its services', async () => {
    await ada.page.goto('/new?from=compose');
    await field('Compose file').fill(
      'name: shelf\nservices:\n  web:\n    image: nginx:1.29\n    ports: ["80"]\n  db:\n    image: postgres:17\n    volumes: ["data:/var/lib/postgresql/data"]\nvolumes:\n  data:\n',
    );
    await button('Continue').click();
    await text('A compose file with 2 services').waitFor();
    await ada.page.getByRole('table', { name: 'Services' }).getByText('postgres:17').waitFor();
    expect(await field('Name').inputValue()).toBe('shelf');
    await pictures(ada, 'new-compose');
  });

  it('is deployed as an app or as the services of its compose file', async () => {
    const folder = nodeApp('both');
    writeFileSync(
      join(folder, 'compose.yaml'),
      'services:\n  web: {image: "both:1", ports: [80]}\n  db: {image: postgres}\n',
    );
    await ada.page.goto('/new?from=folder');
    await ada.page.locator('input[webkitdirectory]').setInputFiles(folder);
    await text('Start with').waitFor();
    await text('No service of compose.yaml is built from this source: web, db.').waitFor();
    await pictures(ada, 'new-app-with-compose');
    await field('Deploy').selectOption('compose');
    await text('A compose file with 2 services').waitFor();
    await heading('Public service').waitFor();
    await pictures(ada, 'new-compose-of-app');
    await field('Deploy').selectOption('app');
    await text('Start with').waitFor();
  });

  it('is rejected for a compose file without services, an image without a name, or an invalid port', async () => {
    await ada.page.goto('/new?from=compose');
    await button('Continue').click();
    await text('Compose file must not be empty.').waitFor();
    await field('Compose file').fill('services: [');
    await button('Continue').click();
    await text('compose.yaml has no services, or cannot be read').waitFor();
    await text(/compose.yaml:1: not valid YAML/).waitFor();
    await ada.page.goto('/new?from=image');
    await button('Continue').click();
    await text('Image must not be empty.').waitFor();
    await field('Image').fill('nginx');
    await field('Port').fill('99999');
    await button('Continue').click();
    await text('Port must be a number from 1 to 65535.').waitFor();
  });

  it('is found in the enclosing folder of an archive', async () => {
    const archive = join(newFolder('archive'), 'shop.tar.gz');
    const folder = nodeApp('shop');
    execFileSync('tar', ['czf', archive, '-C', dirname(folder), basename(folder)]);
    await ada.page.goto('/new?from=folder');
    await ada.page.getByLabel('Archive', { exact: true }).setInputFiles(archive);
    await text('There is no app in the top folder').waitFor();
    await field('App of the repository').selectOption(basename(folder));
    await text('Start with').waitFor();
  });

  it('warns about a database that no volume can keep, unless a variable names another one', async () => {
    const folder = nodeApp('club');
    const settings =
      "MEDIA_ROOT = BASE_DIR / 'media'\nDATABASES = {'default': env.db(default={'ENGINE': " +
      "'django.db.backends.sqlite3',\n'NAME': BASE_DIR / 'db.sqlite3'})}  # DATABASE_URL\n";
    for (const [name, content] of [
      ['manage.py', ''],
      ['settings.py', settings],
      ['.env.example', 'DATABASE_URL=\n'],
    ] as const)
      writeFileSync(join(folder, name), content);
    await ada.page.goto('/new?from=folder');
    await ada.page.locator('input[webkitdirectory]').setInputFiles(folder);
    const warning = text('Django keeps its SQLite database in db.sqlite3, beside the code');
    await warning.waitFor();
    await ada.page.getByRole('checkbox', { name: 'media' }).waitFor();
    await pictures(ada, 'new-database-file');
    await field('Value of DATABASE_URL').fill('postgres://db/club');
    await warning.waitFor({ state: 'detached' });
  }, 60_000);

  it('leaves no project behind when the deployment is refused and the person starts over', async () => {
    const { page, complaints } = ada;
    const before = complaints.length;
    await page.route('**/api/deployments/build/access', (route) => route.abort());
    await button('Deploy').click();
    await text('Mooring does not respond').waitFor();
    await button('Start over').click();
    await heading('Deploy an app').waitFor();
    await page.unroute('**/api/deployments/build/access');
    complaints.length = before;
  });

  it('is deleted by typing its name', async () => {
    await ada.page.goto('/projects');
    await link(/Greeter/).click();
    await link('Settings').click();
    await button('Delete project').click();
    const dialog = ada.page.getByRole('alertdialog');
    expect(await dialog.getByRole('button', { name: 'Delete project' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('greeter');
    await pictures(ada, 'project-delete');
    await dialog.getByRole('button', { name: 'Delete project' }).click();
    await text('No projects yet').waitFor({ timeout: 20_000 });
    expect(ada.complaints).toEqual([]);
  }, 40_000);
});
