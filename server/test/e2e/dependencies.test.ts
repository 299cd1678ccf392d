import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deploysBoth, startable, trust } from '../rig/registry-examples.ts';
import type { Service } from '../rig/service.ts';

// The other ways to run are in dependencies.full.ts.
describe.each(startable.slice(0, 1))('dependencies from the registry, processes, the service as %s', (_name, start) => {
  let service: Service;
  deploysBoth(async () => (service = await start({ ...trust, MOORING_START_TIMEOUT: '20' })));

  it('stores the packages once per organization, not in the homes of its projects', () => {
    const folder = join(service.dataDir, 'packages');
    expect(readdirSync(folder), 'organizations').toHaveLength(1);
    expect(filesBelow(folder).filter((path) => path.includes('/sha512/')).length).toBeGreaterThan(60);
    expect(filesBelow(join(service.dataDir, 'homes')).filter((path) => path.includes('/content-v2/'))).toEqual([]);
  });
});

const filesBelow = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });
