import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, type Visitor } from '../../server/test/rig/browser.ts';
import { folderOf } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { fillPages, openWhole } from './all-pages.ts';
import { pictures } from './pictures.ts';
import { type Connections, join, signInOwner, startConnections } from './connections-rig.ts';

type Role = 'admin' | 'member' | 'viewer' | 'restricted';
/** The buttons, menu entries and links of a page. */
type Shown = { title: string; offers: string[]; links: string[] };

/** Changes nothing, or only the person's own data. */
const harmless =
  /^(Copy|Download|Next match|Previous match|Pause|Show|Change password|Leave|Actions|New token|Revoke|Fold all|.*(Done|Skipped)$)/;
const leadsToChange = /^\/new|\/settings$|^\/(?!tokens).*[?&](add|create|invite|connect)=/;

describe.runIf(has('chromium'))('pages by role', () => {
  let rig: Connections;
  let browser: Browser;
  let pages: Record<string, string>;
  let shop: string;
  let everything: Map<string, Shown>;

  beforeAll(async () => {
    [rig, browser] = await Promise.all([startConnections(), startBrowser()]);
    ({ project: shop, paths: pages } = await fillPages(rig, folderOf({ 'index.html': '<title>Shop</title>' })));
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await rig?.stop();
  });

  async function walk(visitor: Visitor): Promise<Map<string, Shown>> {
    const { page, complaints } = visitor;
    const all = new Map<string, Shown>();
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
    });
    for (const [name, path] of Object.entries(pages)) {
      const main = await openWhole(page, path);
      const title = await main.getByRole('heading', { level: 1 }).innerText();
      const offers = await main
        .getByRole('button')
        .evaluateAll((found) =>
          found.map((each) => (each.getAttribute('aria-label') ?? each.textContent ?? '').trim()),
        );
      for (const menu of await main.locator('[aria-haspopup=menu]').all()) {
        await menu.click();
        offers.push(...(await page.getByRole('menuitem').allInnerTexts()));
        await page.keyboard.press('Escape');
      }
      const links = await page
        .locator('a[href^="/"]')
        .evaluateAll((found) => found.map((each) => each.getAttribute('href')!));
      all.set(name, { title, offers, links });
    }
    expect(refused).toEqual([]);
    expect(complaints).toEqual([]);
    await visitor.close();
    return all;
  }

  const visitors = {
    owner: () => signInOwner(browser, rig.service),
    admin: () => joinAs('admin'),
    member: () => joinAs('member'),
    viewer: () => joinAs('viewer'),
    restricted: () => joinAs('restricted', [{ resource: 'project', id: shop, actions: ['read'] }]),
  };
  const joinAs = (role: Role, grants: object[] = []) =>
    join(browser, rig.service, { email: `${role}@example.org`, role, grants });
  const as = async (role: keyof typeof visitors) => walk(await visitors[role]());

  it('an admin sees the same actions as an owner', async () => {
    everything = await as('owner');
    const admin = await as('admin');
    const { members, git = [], overview, ...more } = without(everything, admin);
    // Nobody changes the role of a person above them.
    expect(members).toEqual(['Actions for Owner']);
    // The machine's own login is only for the instance owner.
    expect(git.filter((each) => each !== 'Use gh on this machine')).toEqual([]);
    // The first steps disappear once another person has joined.
    expect(overview?.filter((href) => !/create|invite/.test(href))).toEqual([]);
    expect(more).toEqual({});
  }, 120_000);

  it('a member cannot delete, roll back or manage people', async () => {
    const { overview: _, git: __, ...kept } = without(everything, await as('member'));
    const first = Object.entries(kept).map(([name, offers]) => [name, offers.map((each) => each.split('\n')[0])]);
    expect(Object.fromEntries(first)).toEqual({
      registries: ['Delete'],
      backups: ['Import archive', 'Rotate key', 'Export keys', 'Delete'],
      'backup-destinations': ['Delete'],
      members: ['Invite somebody', 'Actions for Owner', 'Change role', 'Leave the organization'],
      tokens: ['Revoke ci', 'Revoke first token, from the environment'],
      organization: ['Rename', 'Link a cloud'],
      deployment: ['Roll back to this', 'Delete'],
      backup: ['Delete'],
      'project/backups': ['Import archive', 'Delete'],
      'project/deployments': ['Delete', 'Roll back to this', 'Delete'],
      'project/settings': ['Delete project'],
    });
  }, 120_000);

  it.each(['viewer', 'restricted'] as const)(
    'a %s has read access only',
    async (role) => {
      for (const [name, { offers, links, title }] of await as(role)) {
        expect(
          offers.filter((each) => !harmless.test(each)),
          name,
        ).toEqual([]);
        expect(
          links.filter((href) => leadsToChange.test(href)),
          name,
        ).toEqual([]);
        if (name === 'new' || name === 'project/settings') expect(title).toBe('Not permitted');
      }
    },
    120_000,
  );

  it('a restricted member without a grant is told whom to ask', async () => {
    const nobody = await join(browser, rig.service, { email: 'nobody@example.org', role: 'restricted', grants: [] });
    await nobody.page.goto('/');
    await nobody.page.getByRole('heading', { name: 'You have no access to a project yet' }).waitFor();
    await nobody.page.getByText('Ask an owner or an admin of').waitFor();
    await pictures(nobody, 'overview-without-grants');
    await nobody.close();
  });
});

/** The offers of one role that the other lacks, by page. */
function without(all: Map<string, Shown>, less: Map<string, Shown>): Record<string, string[]> {
  const missing = [...all].map(([name, { offers, links }]) => {
    const own = less.get(name)!;
    const both = [...offers, ...links.filter((href) => leadsToChange.test(href))];
    return [name, both.filter((each) => ![...own.offers, ...own.links].includes(each))] as const;
  });
  return Object.fromEntries(missing.filter(([, names]) => names.length));
}
