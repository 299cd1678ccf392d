import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../../server/test/rig/parts.ts';
import { until } from '../../server/test/rig/until.ts';
import { app, blocked, type DomainRig, publicAddress, startDomainRig } from './domain-rig.ts';
import { deploy } from '../../server/test/rig/deploy.ts';
import { pictures } from './pictures.ts';

const long = `${'very-long-label-'.repeat(4).slice(0, 62)}x.${'w'.repeat(63)}.example.com`;

describe.runIf(has('chromium') && has('pebble'))('states of a domain in a browser', () => {
  let rig: DomainRig;

  beforeAll(async () => {
    rig = await startDomainRig();
    await rig.pebble.lead('unknown.example.com', []);
  }, 60_000);
  afterAll(() => rig?.stop());

  /** The page must not scroll horizontally. */
  async function expectNoOverflow(): Promise<void> {
    const { page } = rig.ada;
    for (const width of [1280, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(wide, `at ${width}`).toBeLessThanOrEqual(width);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }

  it('shows no domains', async () => {
    await rig.open('None');
    await rig.ada.page.getByRole('heading', { name: 'No custom domains yet' }).waitFor();
    await pictures(rig.ada, 'state-none');
  });

  it('shows a working domain', async () => {
    await rig.open('Fine', { name: 'fine.example.com', hstsSeconds: 86_400, path: '/shop' });
    await deploy(rig.service, rig.project, app());
    await rig.button('Check now').click();
    const fine = rig.item('fine.example.com');
    await fine.getByText('Points here').waitFor();
    await fine.getByText('days left').waitFor();
    await fine.getByText('under /shop · HSTS for 1 day').waitFor();
    expect(await fine.getByText('Action required').count()).toBe(0);
    await pictures(rig.ada, 'state-fine');
  });

  it('shows a domain that does not resolve, with the records to set', async () => {
    await rig.open('Nowhere', { name: 'unknown.example.com' });
    await rig.button('Check now').click();
    const lost = rig.item('unknown.example.com');
    await lost.getByText('Action required').waitFor();
    await lost.getByText('To fix it: Create an A record for unknown.example.com').waitFor();
    const records = lost.getByRole('list', { name: 'DNS records to set' }).getByRole('listitem');
    expect(await records.allTextContents()).toEqual([
      `TypeANameunknown.example.comValue${publicAddress}`,
      'TypeAAAANameunknown.example.comValue2001:db8::7',
    ]);
    await rig.button(`Copy the value ${publicAddress}`).click();
    await lost.getByText('Copied').waitFor();
    expect(await rig.ada.page.evaluate('navigator.clipboard.readText()')).toBe(publicAddress);
    await pictures(rig.ada, 'state-action');
  });

  it('shows a domain that the authority refuses, and says why on a retry', async () => {
    await rig.open('Refused', { name: blocked });
    await rig.button('Check now').click();
    const refused = rig.item(blocked);
    await refused.getByText('Not issued').waitFor();
    await rig.choose(blocked, 'Order certificate now');
    await refused.getByRole('status').filter({ hasText: 'certificate' }).first().waitFor();
    const alert = refused.getByRole('alert');
    await alert.getByText('No new certificate was issued').waitFor();
    await alert.getByText(/Mooring retries in/).waitFor();
    await refused.getByText(/To fix it:/).waitFor();
    // Shown only once.
    expect(await refused.getByText(/issuance is forbidden/).count()).toBe(1);
    await pictures(rig.ada, 'state-refused');
  });

  it('shows the progress of an order until the new certificate serves', async () => {
    await rig.open('Renewed', { name: 'renewed.example.com' });
    const renewed = rig.item('renewed.example.com');
    await rig.button('Check now').click();
    await renewed.getByText('days left').waitFor();
    await rig.choose('renewed.example.com', 'Renew certificate');
    await renewed.getByText(/Ordering a certificate|order is queued|validating the domain/).waitFor();
    await pictures(rig.ada, 'state-renewing');
    await rig.ada.page.getByText('renewed.example.com has a new certificate').waitFor();
    expect(await renewed.getByRole('alert').count()).toBe(0);
  });

  it('fits long names, and twenty of them, on any screen', async () => {
    await rig.pebble.lead(`b.${long}`, []);
    const shops = Array.from({ length: 18 }, (_, index) => ({ name: `shop-${index + 1}.example.com` }));
    const elsewhere = { environment: 'a-long-name-of-an-environment-of-forty-c', path: `/${'p'.repeat(90)}` };
    await rig.open(
      'Many',
      { name: long, redirectTo: `www.${long}`, hstsSeconds: 1234, https: 'optional' },
      { name: `b.${long}`, ...elsewhere },
      ...shops,
    );
    await rig.item('shop-18.example.com').waitFor();
    await rig.item(`b.${long}`).getByRole('button', { name: 'Check now' }).click();
    await rig.item(`b.${long}`).getByText('Action required').waitFor();
    const items = rig.ada.page.getByRole('list', { name: 'Domains' }).getByRole('button', { name: /^Actions for/ });
    expect(await items.count()).toBe(20);
    await until(
      'all have been looked at',
      async () => (await rig.ada.page.getByText('days left').count()) >= 18,
      40_000,
    );
    await pictures(rig.ada, 'state-many');
    await expectNoOverflow();
    expect(rig.ada.complaints).toEqual([]);
  }, 90_000);
});
