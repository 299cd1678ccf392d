import { join } from 'node:path';
import type { Visitor } from '../../server/test/rig/browser.ts';

const folder = process.env['MOORING_TEST_PICTURES'];

/** For somebody to look at, where a folder is named: light and dark, wide and narrow. */
export async function pictures({ page }: Visitor, name: string): Promise<void> {
  if (!folder) return;
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
}
