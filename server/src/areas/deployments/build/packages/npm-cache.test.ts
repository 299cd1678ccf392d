import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/rig/children.ts';
import { Folders } from '../../model/parts.ts';
import { emptyOldCaches, lendPackages } from './npm-cache.ts';
import { PackageStore } from './package-store.ts';

const isRoot = process.getuid?.() === 0;
const sha512 = (content: string) => createHash('sha512').update(content);

describe('npm package cache', () => {
  let folders: Folders;
  const contentOf = (project: string) => join(folders.home(project), '.npm/_cacache/content-v2');
  const fileOf = (project: string, content: string) => {
    const digest = sha512(content).digest('hex');
    return join(contentOf(project), 'sha512', digest.slice(0, 2), digest.slice(2, 4), digest.slice(4));
  };
  const fetchAs = (project: string, content: string, really = content) => {
    mkdirSync(dirname(fileOf(project, content)), { recursive: true });
    writeFileSync(fileOf(project, content), really);
  };
  /** Returns a folder with a lock file that names these packages. */
  const sourceWith = (...contents: string[]) => {
    const folder = newFolder('source');
    const integrities = contents.map((each) => ({ integrity: `sha512-${sha512(each).digest('base64')}` }));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: integrities }, null, 2));
    return folder;
  };
  const begin = (project: string, sources: string[] = [], organizationId = 'org_1') => {
    const number = Number(project.at(-1)) || 0;
    const user = isRoot ? { uid: 64_200 + number, gid: 64_200 + number } : null;
    mkdirSync(folders.home(project), { recursive: true });
    if (user) chownSync(folders.home(project), user.uid, user.gid);
    return lendPackages({ folders, organizationId, projectId: project, user }, sources);
  };
  const build = async (project: string, content: string, really?: string) => {
    const store = await begin(project);
    fetchAs(project, content, really);
    await store();
  };
  beforeEach(() => {
    folders = new Folders(newFolder('data'));
  });

  it('lends packages read-only to projects of the same organization only', async () => {
    await build('prj_1', 'express');
    expect(existsSync(contentOf('prj_1'))).toBe(false);
    const store = await begin('prj_2', [sourceWith('express', 'vite')]);
    expect(readFileSync(fileOf('prj_2', 'express'), 'utf8')).toBe('express');
    expect(existsSync(fileOf('prj_2', 'vite'))).toBe(false);
    const { uid, mode } = statSync(fileOf('prj_2', 'express'));
    expect({ uid, mode: mode & 0o777 }).toEqual({ uid: process.getuid?.(), mode: 0o644 });
    if (isRoot) expect(statSync(dirname(fileOf('prj_2', 'express'))).uid).toBe(64_202);
    await store();
    expect(existsSync(contentOf('prj_2'))).toBe(false);
    await begin('prj_3', [sourceWith('express')], 'org_2');
    expect(existsSync(fileOf('prj_3', 'express'))).toBe(false);
  });

  it('copies packages for builds that run as the service and could change the stored file', async () => {
    const lend = (projectId: string) => {
      mkdirSync(folders.home(projectId), { recursive: true });
      return lendPackages({ folders, organizationId: 'org_1', projectId, user: null }, [sourceWith('express')]);
    };
    const store = await lend('prj_1');
    fetchAs('prj_1', 'express');
    await store();
    const second = await lend('prj_2');
    writeFileSync(fileOf('prj_2', 'express'), 'another');
    await second();
    await lend('prj_3');
    expect(readFileSync(fileOf('prj_3', 'express'), 'utf8')).toBe('express');
  });

  it('lends packages to the next build of a project without a lock file', async () => {
    await build('prj_1', 'express');
    await begin('prj_1');
    expect(existsSync(fileOf('prj_1', 'express'))).toBe(true);
  });

  it('stores packages only if their content matches the digest, and never through a link', async () => {
    const secret = join(newFolder('outside'), 'secret');
    writeFileSync(secret, 'secret');
    await build('prj_1', 'express', 'something else');
    const store = await begin('prj_1');
    mkdirSync(dirname(fileOf('prj_1', 'secret')), { recursive: true });
    symlinkSync(secret, fileOf('prj_1', 'secret'));
    await store();
    await begin('prj_2', [sourceWith('express', 'secret')]);
    for (const content of ['express', 'secret']) expect(existsSync(fileOf('prj_2', content)), content).toBe(false);
  });

  it('never writes outside the home, whatever links the project plants there', async () => {
    await build('prj_1', 'express');
    for (const path of ['.npm', '.npm/_cacache', '.npm/_cacache/content-v2']) {
      const outside = newFolder('outside');
      rmSync(folders.home('prj_2'), { recursive: true, force: true });
      mkdirSync(dirname(join(folders.home('prj_2'), path)), { recursive: true });
      symlinkSync(outside, join(folders.home('prj_2'), path));
      const store = await begin('prj_2', [sourceWith('express')]);
      await store();
      expect(readdirSync(outside), path).toEqual([]);
    }
  });

  it('stays in the home while another environment of the project builds', async () => {
    const [first, second] = [await begin('prj_1'), await begin('prj_1')];
    fetchAs('prj_1', 'express');
    await first();
    expect(existsSync(fileOf('prj_1', 'express'))).toBe(true);
    await second();
    expect(existsSync(contentOf('prj_1'))).toBe(false);
  });

  it('empties the homes of older versions', async () => {
    fetchAs('prj_1', 'express');
    writeFileSync(join(folders.home('prj_1'), '.npmrc'), 'x');
    await emptyOldCaches(folders);
    expect(existsSync(contentOf('prj_1'))).toBe(false);
    expect(existsSync(join(folders.home('prj_1'), '.npmrc'))).toBe(true);
    expect(readdirSync(folders.temporary())).toEqual([]);
  });

  it('removes packages that were unused for a month or exceed the size limit', async () => {
    for (const content of ['old', 'older', 'new']) await build(`prj_${content}`, content);
    const [organization] = readdirSync(folders.allPackages());
    const top = join(folders.packages(organization!), 'sha512');
    const digest = sha512('older').digest('hex');
    const longAgo = new Date(Date.now() - 31 * 86_400_000);
    utimesSync(join(top, digest.slice(0, 2), digest.slice(2)), longAgo, longAgo);
    const store = new PackageStore(folders.packages(organization!));
    const left = () => readdirSync(top).flatMap((name) => readdirSync(join(top, name))).length;
    await store.prune({ totalBytes: 1000 });
    expect(left()).toBe(2);
    await store.prune({ totalBytes: 3 });
    expect(left()).toBe(1);
  });
});
