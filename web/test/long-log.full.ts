import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { begin, ended, ensureProject, events, nodeApp } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { freePort } from '../../server/test/rig/ports.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { until } from '../../server/test/rig/until.ts';

const owner = { email: 'ada@example.org', password: 'correct horse battery' };
// Including the other steps, the service keeps 50,000 lines of a run.
const lineCount = 49_900;
const mostRows = 400;
const longestTaskMs = 100;

type TraceEvent = { ph: string; name: string; pid: number; tid: number; tdur?: number; args: { name?: string } };

/** Page tasks in a trace that exceed the limit, in milliseconds of CPU time: wall-clock time says little on a shared
 * machine. */
function tooLongIn(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args.name === 'CrRendererMain';
  const mainThreads = new Set(traceEvents.filter(isMain).map(threadOf));
  const tasks = traceEvents.filter((each) => each.name.endsWith('RunTask') && mainThreads.has(threadOf(each)));
  expect(tasks.length).toBeGreaterThan(0);
  return tasks.map(({ tdur = 0 }) => tdur / 1000).filter((ms) => ms > longestTaskMs);
}

/** Its build prints that many lines within about ten seconds. */
const talkative = () => {
  const build = `if (process.argv[2] === 'build') {
  let next = 0;
  const timer = setInterval(() => {
    for (let i = 0; i < 500 && next < ${lineCount}; i++, next++)
      console.log('\\u001b[3' + (next % 7 + 1) + 'mline ' + next + '\\u001b[0m ' + 'some words '.repeat(next % 12));
    if (next >= ${lineCount}) clearInterval(timer);
  }, 100);
  return;
}`;
  return nodeApp('one', build, { build: 'node server.js build' });
};

describe.runIf(has('chromium'))('a log of 50,000 lines in a browser', () => {
  let service: Service;
  let browser: Browser;
  let ada: Visitor;
  let options: { env: Record<string, string>; dataDir?: string };

  beforeAll(async () => {
    const { email: MOORING_ADMIN_EMAIL, password: MOORING_ADMIN_PASSWORD } = owner;
    options = { env: { MOORING_ADMIN_EMAIL, MOORING_ADMIN_PASSWORD, PORT: String(await freePort()) } };
    service = await startService(options);
    browser = await startBrowser();
    ada = await visit(browser, service.url);
    await ada.page.goto('/sign-in');
    await ada.page.getByLabel('E-mail address', { exact: true }).fill(owner.email);
    await ada.page.getByLabel('Password', { exact: true }).fill(owner.password);
    await ada.page.getByRole('button', { name: 'Sign in' }).click();
    await ada.page.getByRole('navigation', { name: 'Main' }).waitFor();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const log = () => ada.page.getByRole('log');
  const rows = () => log().locator('[data-number]');
  const build = () => log().getByRole('button', { name: /^Build/ });
  const shownCount = async () =>
    Number(/([\d,]+) lines/.exec((await build().textContent()) ?? '')?.[1]?.replace(',', '') ?? 0);
  const watchTasks = () => browser.startTracing(ada.page, { categories: ['toplevel'] });
  const tooLong = async () => tooLongIn(await browser.stopTracing());
  const saved = async () => {
    const saving = ada.page.waitForEvent('download');
    await ada.page.getByRole('button', { name: 'Download' }).click();
    const text = await (await saving).path().then((path) => readFile(path, 'utf8'));
    return text.split('\n').filter((line) => line && !/ build: Attempt \d: the step was interrupted/.test(line));
  };
  const written = async (id: string) =>
    (await events(service, id))
      .filter(({ event }) => event === 'log')
      .map(({ data }) => {
        const { at, step, line } = data as Record<'at' | 'step' | 'line', string>;
        // oxlint-disable-next-line no-control-regex
        return `${at} ${step}: ${line.replaceAll(/\u001b\[\d+m/g, '').trimEnd()}`;
      });

  it('is followed without a long task, gap or duplicate line, even if the service is killed', async () => {
    const project = await ensureProject(service, 'Talkative');
    const id = await begin(service, project, talkative());
    await ada.page.goto(`/deployments/${id}`);
    await log()
      .getByText(/^line \d+/)
      .first()
      .waitFor();
    await watchTasks();
    await until('a part of it has arrived', async () => (await shownCount()) > 15_000, 60_000);
    expect(await rows().count()).toBeLessThan(mostRows);
    await service.stop('SIGKILL');
    await ada.page.getByText('Reconnecting').waitFor();
    service = await startService({ ...options, dataDir: service.dataDir });
    await ada.page.getByText('Live').waitFor({ timeout: 30_000 });
    await until('more has arrived', async () => (await shownCount()) > 40_000, 60_000);
    expect(await rows().count()).toBeLessThan(mostRows);
    expect((await ended(service, id, 120_000)).error).toBeNull();
    await until('all of it is there', () => ada.page.getByRole('button', { name: 'Download' }).isEnabled(), 30_000);
    expect(await tooLong()).toEqual([]);
    const expected = await written(id);
    expect(expected.length).toBeGreaterThan(50_000);
    await ada.page.getByText('Reconnecting').waitFor({ state: 'hidden' });
    await until('the last line is there', async () => (await saved()).length === expected.length, 30_000);
    expect(await saved()).toEqual(expected);
  }, 300_000);

  it('loads, scrolls and searches as fast once it has ended', async () => {
    await ada.page.reload();
    await log()
      .getByText(/^line \d+/)
      .first()
      .waitFor();
    await watchTasks();
    await until('it is loaded', () => ada.page.getByRole('button', { name: 'Download' }).isEnabled(), 60_000);
    for (const part of [0.5, 0, 1, 0.3])
      await log().evaluate(async (box, top) => {
        box.scrollTo({ top: box.scrollHeight * top });
        await new Promise((resolve) => setTimeout(resolve, 200));
      }, part);
    expect(await rows().count()).toBeGreaterThan(20);
    expect(await rows().count()).toBeLessThan(mostRows);
    await ada.page.getByLabel('Search the log').fill(`line ${lineCount - 1}`);
    await ada.page.keyboard.press('Enter');
    await log()
      .getByText(`line ${lineCount - 1}`)
      .first()
      .waitFor();
    expect(await tooLong()).toEqual([]);
    expect(ada.complaints.filter((each) => !/ERR_CONNECTION_REFUSED|net::ERR/.test(each))).toEqual([]);
  }, 120_000);

  it('is measured by a trace that does detect long tasks', async () => {
    await watchTasks();
    await ada.page.evaluate(() => {
      setTimeout(() => {
        for (const end = performance.now() + 2000; performance.now() < end;);
      });
    });
    await ada.page.waitForTimeout(2500);
    expect(await tooLong()).toHaveLength(1);
  }, 30_000);
});
