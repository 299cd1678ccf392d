import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const scripts = resolve(import.meta.dirname, '../../scripts');

/** The return value of a script's function. Scripts are plain modules without types. */
const printed = (code: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });

it('npm run test:fast selects the tests beside the source that need no real part and start no process', () => {
  const { fast, others } = JSON.parse(
    printed(
      `const { fastTests } = await import(${JSON.stringify(join(scripts, 'fast-tests.mjs'))}); console.log(JSON.stringify(fastTests()));`,
    ),
  ) as { fast: string[]; others: number };
  expect(fast).toContain('server/src/drivers/images/references.test.ts');
  // These need Docker, databases or processes.
  expect(fast).not.toContain('server/src/drivers/runtime/docker/docker.test.ts');
  expect(fast).not.toContain('server/src/areas/deployments/stack/checks/request.test.ts');
  expect(fast).not.toContain('server/src/drivers/runtime/process/process.test.ts');
  expect(fast.filter((path) => !/^(server|cli|web)\/src\/.+\.test\.ts$/.test(path))).toEqual([]);
  expect(others).toBeGreaterThan(0);
});
