import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Visitor } from '../../server/test/rig/browser.ts';

const folder = process.env['MOORING_TEST_PICTURES'];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const schemes = ['light', 'dark'] as const;

/** Checks the page for accessibility in both colour schemes. With a folder, it also takes screenshots: light and
 * dark, wide and narrow. */
export async function pictures({ page }: Visitor, name: string): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Colours change with the next frame.
    await page.waitForTimeout(100);
    // A dialog that opens during the check is hidden from it only in part. What is wrong with a still page remains.
    await expect
      .poll(() => violations(page, colorScheme), { timeout: 10_000, message: `${name}, ${colorScheme}` })
      .toEqual([]);
    if (!folder) continue;
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
}

type Found = { id: string; nodes: { target: unknown[]; failureSummary?: string }[] };

/** All rules in light. Only those about colour can differ in dark. */
const rulesFor = {
  // An open menu is outside the page's landmarks, as usual.
  light: { rules: { region: { enabled: false } } },
  dark: { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
};

async function violations(page: Visitor['page'], colorScheme: (typeof schemes)[number]): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe);
  const options = JSON.stringify(rulesFor[colorScheme]);
  const found = await page.evaluate<Found[]>(`axe.run(${options}).then(({ violations }) => violations)`);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  );
}
