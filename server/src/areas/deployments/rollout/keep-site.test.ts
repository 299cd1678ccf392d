import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { Folders } from '../model/parts.ts';
import { keepOnlySite } from './keep-site.ts';

const site = 'apps/web/dist';

describe('release of a site', () => {
  let folders: Folders;
  let release: string;
  const filesOf = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .toSorted();
  const write = (name: string) => {
    mkdirSync(dirname(join(release, name)), { recursive: true });
    writeFileSync(join(release, name), name);
  };
  const onlyTheSite = () => {
    expect(filesOf(release)).toEqual([`${site}/assets/app.js`, `${site}/index.html`]);
    expect(readdirSync(folders.all())).toEqual(['dep_1']);
    expect(readdirSync(folders.temporary())).toEqual([]);
  };

  beforeEach(() => {
    folders = new Folders(newFolder('data'));
    release = folders.release('dep_1');
    for (const name of ['package.json', 'node_modules/x/index.js', 'apps/web/src/main.ts', 'apps/api/server.js'])
      write(name);
    for (const name of ['index.html', 'assets/app.js']) write(`${site}/${name}`);
  });

  it('keeps only the output, at its path', async () => {
    await keepOnlySite(folders, 'dep_1', site);
    onlyTheSite();
    await keepOnlySite(folders, 'dep_1', site);
    onlyTheSite();
  });

  it('recovers from a crash at any point', async () => {
    const kept = folders.unfinishedSite('dep_1');
    const moved = () => {
      mkdirSync(dirname(join(kept, site)), { recursive: true });
      renameSync(join(release, site), join(kept, site));
    };
    const states: Record<string, () => void> = {
      'the new folder was begun': () => mkdirSync(join(kept, 'apps'), { recursive: true }),
      'the output was moved out': moved,
      'the old release was set aside': () => {
        moved();
        renameSync(release, `${release}.removed`);
      },
      'the new release is in place': () => {
        moved();
        renameSync(release, `${release}.removed`);
        renameSync(kept, release);
      },
    };
    const [whole, copy] = [folders.dataDir, newFolder('copy')];
    cpSync(whole, copy, { recursive: true });
    for (const [name, reach] of Object.entries(states)) {
      rmSync(whole, { recursive: true });
      cpSync(copy, whole, { recursive: true });
      reach();
      await keepOnlySite(folders, 'dep_1', site);
      expect(filesOf(release), name).toEqual([`${site}/assets/app.js`, `${site}/index.html`]);
      expect(readdirSync(folders.all()), name).toEqual(['dep_1']);
    }
  });

  it('follows a link to the output, and keeps a source that is served as a whole', async () => {
    renameSync(join(release, site), join(release, 'built'));
    symlinkSync('../../built', join(release, site));
    await keepOnlySite(folders, 'dep_1', site);
    onlyTheSite();
    symlinkSync('.', join(release, 'out'));
    await keepOnlySite(folders, 'dep_1', 'out');
    // Not by filesOf, which follows the link.
    expect(existsSync(join(release, site, 'index.html'))).toBe(true);
  });
});
