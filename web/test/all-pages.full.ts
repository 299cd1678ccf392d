import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, type Visitor } from '../../server/test/rig/browser.ts';
import { nodeApp } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { fillPages, openWhole } from './all-pages.ts';
import { type Connections, signInOwner, startConnections } from './connections-rig.ts';
import { pictures } from './pictures.ts';

const markup = `<img src=x onerror="window.taken=1"><b>`;
const lines = `console.log(${JSON.stringify(`${markup} \u001B[31mred\u001B[0m \u001B]0;title\u0007\u001B[2J`)});`;

describe.runIf(has('chromium'))('every page', () => {
  let rig: Connections;
  let browser: Browser;
  let ada: Visitor;
  let pages: [name: string, path: string][];

  beforeAll(async () => {
    [rig, browser] = await Promise.all([startConnections(), startBrowser()]);
    const { paths } = await fillPages(rig, nodeApp('one', lines), (name) => `${name} ${markup}`);
    pages = Object.entries(paths);
    ada = await signInOwner(browser, rig.service);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await rig?.stop();
  });

  it('shows markup and control characters of names, values and logs as text', async () => {
    let shown = 0;
    for (const [name, path] of pages) {
      const main = await openWhole(ada.page, path);
      const text = await ada.page.locator('body').innerText();
      if (text.includes('onerror')) shown++;
      expect(await ada.page.locator('img[src=x]').count(), name).toBe(0);
      expect(await main.locator('b').count(), name).toBe(0);
      // eslint-disable-next-line no-control-regex
      expect(text, name).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F]/);
    }
    expect(await ada.page.evaluate('window.taken')).toBeUndefined();
    expect(ada.complaints).toEqual([]);
    // Most pages contain such a name; otherwise this test has checked nothing.
    expect(shown).toBeGreaterThan(14);
  }, 120_000);

  it('is accessible in light and dark mode', async () => {
    for (const [name, path] of pages) {
      await openWhole(ada.page, path);
      await pictures(ada, `all-${name.replaceAll('/', '-')}`);
    }
  }, 300_000);

  it('fits on a phone, with the open tab in view', async () => {
    await ada.page.setViewportSize({ width: 390, height: 800 });
    const wide: string[] = [];
    for (const [name, path] of pages) {
      const main = await openWhole(ada.page, path);
      if ((await ada.page.evaluate<number>('document.documentElement.scrollWidth')) > 390) wide.push(name);
      for (const tab of await main.locator('nav [aria-current=page]').all()) {
        const { x, width } = (await tab.boundingBox())!;
        expect([x >= 0, x + width <= 390], `the tab of ${name}`).toEqual([true, true]);
      }
    }
    expect(wide).toEqual([]);
    await ada.page.setViewportSize({ width: 1280, height: 800 });
  }, 120_000);

  it('is fully usable by keyboard, with a visible focus', async () => {
    for (const [name, path] of pages) {
      await openWhole(ada.page, path);
      const { wanted, reached, unseen } = await walkByTab(ada.page);
      expect(
        wanted.filter((each) => !reached.has(each)),
        name,
      ).toEqual([]);
      expect(unseen, name).toEqual([]);
    }
  }, 300_000);
});

// Scripts for the page as text: the tests are compiled without browser types.
const markReachable = `(() => {
  const left = ':disabled,[role=radio],[role=tab],[role=menuitem],[type=radio],[type=hidden],[aria-hidden=true],[aria-hidden=true] *';
  const found = [...document.querySelectorAll('a[href],button,input,select,textarea,summary')].filter(
    (each) => each.checkVisibility() && !each.matches(left),
  );
  document.activeElement?.blur();
  return found.map((each, index) => (each.dataset.walk = index + ' ' + each.tagName + ' ' + (each.innerText || each.title)));
})()`;
const whereFocusIs = `(() => {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return null;
  const isSeen = [focused, focused.parentElement, focused.nextElementSibling ?? focused].some((each) => {
    const { outlineStyle, boxShadow } = getComputedStyle(each);
    return outlineStyle !== 'none' || boxShadow.replaceAll(/rgba\\(0, 0, 0, 0\\)[^,]*(, )?/g, '') !== '';
  });
  return { at: focused.dataset.walk ?? '', isSeen };
})()`;

/** The clickable elements, the Tab stops, and those without a visible focus. Arrow keys move within a group of radio
 * buttons or tabs. */
async function walkByTab(page: Page) {
  const wanted = await page.evaluate<string[]>(markReachable);
  const reached = new Set<string>();
  const unseen: string[] = [];
  for (let presses = 0; presses < wanted.length + 60; presses++) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate<{ at: string; isSeen: boolean } | null>(whereFocusIs);
    if (!focus) break;
    reached.add(focus.at);
    if (!focus.isSeen) unseen.push(focus.at);
  }
  return { wanted, reached, unseen };
}
