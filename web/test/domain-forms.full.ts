import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSigned } from '../../server/test/rig/certificate.ts';
import { json } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type DomainRig, startDomainRig } from './domain-rig.ts';
import { pictures } from './pictures.ts';

type DomainJson = { name: string; [field: string]: unknown };

describe.runIf(has('chromium') && has('pebble'))('adding and editing domains in a browser', () => {
  let rig: DomainRig;
  beforeAll(async () => {
    rig = await startDomainRig();
  }, 60_000);
  afterAll(() => rig?.stop());

  const dialog = () => rig.ada.page.getByRole('dialog');
  const submit = () => dialog().getByRole('button', { name: 'Add domain' }).click();
  const summary = () => dialog().getByText('Advanced', { exact: true });
  const domainOf = async (name: string): Promise<DomainJson | undefined> => {
    const { data } = await json<{ data: DomainJson[] }>(rig.service.get(`/api/projects/${rig.project}/domains`));
    return data.find((each) => each.name === name);
  };

  it('adds one with all settings', async () => {
    await rig.open('Shop');
    await rig.button('Add domain').click();
    await rig.field('Name').fill('stage.example.com');
    expect(await rig.field('Path').isVisible()).toBe(false);
    await pictures(rig.ada, 'form-add');
    await dialog().getByRole('checkbox').focus();
    await rig.ada.page.keyboard.press('Tab');
    await pictures(rig.ada, 'form-focus');
    await rig.ada.page.keyboard.press('Enter');
    await rig.field('Environment').fill('staging');
    await rig.field('Path').fill('/api');
    await dialog().getByText('Serve HTTP and HTTPS').click();
    await rig.field('HSTS').selectOption({ label: 'HTTPS only for 30 days' });
    await pictures(rig.ada, 'form-advanced');
    await submit();
    await rig.item('stage.example.com').getByText('under /api · HTTP allowed · HSTS for 30 days').waitFor();
    expect(await domainOf('stage.example.com')).toMatchObject({
      environment: 'staging',
      path: '/api',
      https: 'optional',
      hstsSeconds: 2_592_000,
      isPrimary: true,
    });
  });

  it('shows errors beside the field, and unfolds the section that contains it', async () => {
    await rig.button('Add domain').click();
    await rig.field('Name').fill('shop.example.com');
    await summary().click();
    await rig.field('Path').fill('no slash');
    await rig.field('Environment').fill('Not Good');
    await summary().click();
    expect(await rig.field('Path').isVisible()).toBe(false);
    await submit();
    await dialog().getByText('Path must begin with a slash').waitFor();
    await dialog().getByText('Environment must be lower-case letters').waitFor();
    expect(await rig.field('Environment').evaluate((each) => each.matches(':focus'))).toBe(true);
    await pictures(rig.ada, 'form-errors');
    await rig.field('Path').fill('/');
    await rig.field('Environment').fill('production');
    await dialog().getByText('Redirect to another domain').click();
    await rig.field('Redirect to').fill('https://example.com/path');
    await submit();
    await dialog().getByText('Redirect to must be a domain name').waitFor();
    await rig.button('Cancel').click();
  });

  it('explains that a domain is taken, by this project or another', async () => {
    await rig.button('Add domain').click();
    await rig.field('Name').fill('Stage.example.com.');
    await submit();
    await dialog().getByText('already belongs to this project').waitFor();
    await dialog().getByText('The domain is already in the list').waitFor();
    await rig.button('Cancel').click();
    await rig.open('Other');
    await rig.button('Add domain').click();
    await rig.field('Name').fill('stage.example.com');
    await submit();
    await dialog().getByText('belongs to another project').waitFor();
    await dialog().getByText('A domain can belong to one project of the instance only').waitFor();
    await pictures(rig.ada, 'form-taken');
  });

  it('shows the DNS record that an error asks for, with copy buttons', async () => {
    const value = `mooring-owner=${'0a1b2c3d4e'.repeat(4)}`;
    const error = 'old.example.com belongs to another project of this instance';
    const message = `if the domain is yours, create the TXT record _mooring.old.example.com with the value ${value} and add it to the project again (there is no such record yet)`;
    const answer = { status: 409, json: { success: false, code: 'conflict', error, message } };
    await rig.ada.page.route('**/api/projects/*/domains', (route) =>
      route.request().method() === 'POST' ? route.fulfill(answer) : route.continue(),
    );
    await rig.field('Name').fill('old.example.com');
    await submit();
    await dialog().getByText('there is no such record yet').waitFor();
    await rig.button(`Copy the value ${value}`).click();
    expect(await rig.ada.page.evaluate('navigator.clipboard.readText()')).toBe(value);
    await rig.button('Copy the name _mooring.old.example.com').waitFor();
    await pictures(rig.ada, 'form-record');
    await rig.ada.page.setViewportSize({ width: 320, height: 800 });
    expect(await dialog().evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await rig.ada.page.setViewportSize({ width: 1280, height: 800 });
    await rig.ada.page.unroute('**/api/projects/*/domains');
    await rig.button('Cancel').click();
  });

  it('edits one, and sends only the changed fields', async () => {
    await rig.open('Changed', { name: 'one.example.com', hstsSeconds: 1234 }, { name: 'two.example.com' });
    await rig.choose('one.example.com', 'Edit');
    expect(await rig.field('HSTS').inputValue()).toBe('1234');
    await rig.field('Path').fill('/docs');
    await pictures(rig.ada, 'form-edit');
    const sent = rig.ada.page.waitForRequest((request) => request.method() === 'PATCH');
    await rig.button('Save changes').click();
    expect((await sent).postDataJSON()).toEqual({ path: '/docs' });
    await rig.item('one.example.com').getByText('under /docs · HSTS for 1234 seconds').waitFor();
    await rig.choose('two.example.com', 'Edit');
    await dialog().getByText('Redirect to another domain').click();
    await rig.field('Redirect to').fill('two.example.com');
    await rig.button('Save changes').click();
    await dialog().getByText('Redirect to must be another domain').waitFor();
    await rig.field('Redirect to').fill('one.example.com');
    await rig.button('Save changes').click();
    await rig.item('two.example.com').getByText('Redirects to one.example.com').waitFor();
  });

  it('undoes a removal with all settings', async () => {
    const before = await domainOf('one.example.com');
    await rig.choose('one.example.com', 'Remove');
    await rig.ada.page.getByText('You can undo this right after').waitFor();
    await rig.button('Remove domain').click();
    await rig.item('one.example.com').waitFor({ state: 'detached' });
    await rig.ada.page.getByText('unless another project takes it').waitFor();
    await pictures(rig.ada, 'form-removed');
    await rig.button('Undo').click();
    await rig.item('one.example.com').waitFor();
    const { path, hstsSeconds, isPrimary } = before!;
    expect(await domainOf('one.example.com')).toMatchObject({ path, hstsSeconds, isPrimary });
    expect(await rig.button('Undo').count()).toBe(0);
  });

  it('shows certificate errors beside the field', async () => {
    const { cert, key } = selfSigned('elsewhere.example.com');
    await rig.choose('one.example.com', 'Upload certificate');
    await rig.field('Certificate').fill(cert);
    await rig.field('Private key').fill(key);
    await rig.button('Upload certificate').click();
    await dialog().getByText('is not for one.example.com').waitFor();
    expect(await rig.field('Certificate').getAttribute('aria-invalid')).toBe('true');
    expect(rig.ada.complaints).toEqual([]);
  });
});
