import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, deploy, json } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { until } from '../../server/test/rig/until.ts';
import { app, type DomainRig, startDomainRig } from './domain-rig.ts';
import { pictures } from './pictures.ts';

describe.runIf(has('chromium') && has('pebble'))('traffic in a browser', () => {
  let rig: DomainRig;
  beforeAll(async () => {
    rig = await startDomainRig();
    await rig.open('Busy');
    const { urls } = await deploy(rig.service, rig.project, app(), { environment: 'staging' });
    await deploy(rig.service, rig.project, app());
    for (let each = 0; each < 7; each += 1) await ask(urls[0]!);
    await until('they are counted', async () => (await requestsOf('staging')) === 7, 30_000);
    await rig.ada.page.goto(`/projects/${rig.project}/traffic`);
  }, 90_000);
  afterAll(() => rig?.stop());

  const requestsOf = async (environment: string) => {
    const path = `/api/projects/${rig.project}/traffic?window=1h&environment=${environment}`;
    return (await json<{ data: { totals: { requests: number } } }>(rig.service.get(path))).data.totals.requests;
  };
  const environment = () => rig.field('Environment of the traffic');
  const search = () => new URL(rig.ada.page.url()).search;

  it('says that production has no requests, and shows a longer range', async () => {
    await rig.ada.page.getByText('No requests in the last 24 hours').waitFor();
    await pictures(rig.ada, 'traffic-empty');
    await rig.button('Show the last 30 days').click();
    await rig.ada.page.getByText('No requests in the last 30 days').waitFor();
    expect(search()).toBe('?window=30d');
    expect(await rig.button(/^Show the last/).count()).toBe(0);
  });

  it('shows another environment, and keeps the choice in the URL', async () => {
    expect(await environment().locator('option').allTextContents()).toEqual(['production', 'staging']);
    await environment().selectOption('staging');
    await rig.ada.page.getByText('Successful 7').waitFor();
    expect(search()).toBe('?environment=staging&window=30d');
    await rig.ada.page.reload();
    await rig.ada.page.getByText('Successful 7').waitFor();
    expect(await environment().inputValue()).toBe('staging');
    await rig.ada.page.getByText('Response p95').waitFor();
    await pictures(rig.ada, 'traffic-staging');
  });

  it('works by keyboard, and keeps the scroll position', async () => {
    const { page } = rig.ada;
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.getByRole('radio', { name: 'the last 30 days' }).focus();
    await page.evaluate('window.scrollTo(0, 60)');
    const at = await page.evaluate('window.scrollY');
    expect(at).toBe(60);
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL('**?environment=staging&window=7d');
    await page.getByText('Requests per hour').waitFor();
    expect(await page.getByRole('radio', { name: 'the last 7 days' }).isChecked()).toBe(true);
    expect(await page.evaluate('window.scrollY')).toBe(at);
    await page.keyboard.press('Shift+Tab');
    expect(await environment().evaluate((each) => each.matches(':focus'))).toBe(true);
    await page.keyboard.press('Tab');
    await pictures(rig.ada, 'traffic-focus');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('ignores invalid choices in the URL', async () => {
    await rig.ada.page.goto(`/projects/${rig.project}/traffic?environment=%3Cimg%3E&window=9y`);
    await rig.ada.page.getByText('No requests in the last 24 hours').waitFor();
    await rig.ada.page.goto(`/projects/${rig.project}/traffic?environment=2024&window=1h`);
    await rig.ada.page.getByText('No requests to 2024 in the last hour').waitFor();
    expect(rig.ada.complaints).toEqual([]);
  });
});
