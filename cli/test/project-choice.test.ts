import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../../server/test/rig/deploy.ts';
import { Person, Typist } from './mooring.ts';
import { type Service, startService, stopWithApps } from './service.ts';

let service: Service;
let made = 0;
const ada = new Person();
beforeAll(async () => {
  service = await startService();
  await ada.logIn(service.url);
});
afterAll(async () => {
  await stopWithApps(service);
  ada.leave();
});
/** A new folder with a site whose package is called `name`. */
function site(name: string, text: string): string {
  const folder = join(ada.home, `folder-${++made}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), text);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name }));
  return folder;
}

const linkIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'mooring.json'), 'utf8')) as object;
const names = async () => (await ada.json<{ name: string }[]>(['projects'])).map(({ name }) => name);
const removeProject = async (folder: string) => {
  const { projectId } = linkIn(folder) as { projectId: string };
  await ada.run(['api', `/api/projects/${projectId}`, '-X', 'DELETE']);
};

describe('a folder whose package is named like another project', () => {
  test('is refused without a terminal before any upload, and deployed with --project or --new', async () => {
    const url = (await ada.run(['deploy', site('journal', 'first')])).stdout.trim();
    const other = site('journal', 'second');
    const refused = await ada.run(['deploy', other]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /A project called journal exists \(last deployed just now by you\)\. .*--project journal.*--new=<name>/,
    );
    expect(refused.stderr).not.toContain('Uploading');
    expect((await ask(url)).body).toBe('first');
    expect(existsSync(join(other, 'mooring.json'))).toBe(false);

    expect(await ada.run(['deploy', other, '--new'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a project called journal exists; choose another name with --new=<name>'),
    });
    const fresh = await ada.run(['deploy', other, '--new=diary']);
    expect(fresh.stdout).toMatch(/^http:\/\/diary\.localhost:\d+\n$/);
    expect(fresh.stderr).toMatch(
      /New project +diary \(named by --new\)\nAddress +http:\/\/diary.*slug diary\)\nOrganization +.*, at http.*Uploading/s,
    );
    expect(linkIn(other)).toMatchObject({ project: 'diary' });

    const third = site('journal', 'third');
    expect(await ada.run(['deploy', third, '--project', 'journal'])).toMatchObject({ code: 0, stdout: `${url}\n` });
    expect((await ask(url)).body).toBe('third');
    writeFileSync(join(third, 'index.html'), 'fourth');
    expect(await ada.run(['deploy', third])).toMatchObject({ code: 0, stdout: `${url}\n` });
    expect((await ask(url)).body).toBe('fourth');
  });

  test.skipIf(!existsSync('/usr/bin/script'))('prompts on a terminal, with no as the default', async () => {
    const url = (await ada.run(['deploy', site('ledger', 'first')])).stdout.trim();
    const other = site('ledger', 'second');
    const declining = new Typist(ada, ['deploy', other]);
    await declining.answer('Deploy this folder to it (yes, no, new) [no]', '');
    expect(await declining.end()).toBe(1);
    expect(declining.screen).toContain('nothing was deployed');
    expect(existsSync(join(other, 'mooring.json'))).toBe(false);
    expect((await ask(url)).body).toBe('first');
    const agreeing = new Typist(ada, ['deploy', other]);
    await agreeing.answer('Deploy this folder to it (yes, no, new) [no]', 'yes');
    expect(await agreeing.end()).toBe(0);
    expect((await ask(url)).body).toBe('second');
    const naming = new Typist(ada, ['deploy', site('ledger', 'third')]);
    await naming.answer('Deploy this folder to it (yes, no, new) [no]', 'new');
    await naming.answer('Name of the new project', 'third-ledger');
    expect(await naming.end()).toBe(0);
    expect(await names()).toEqual(expect.arrayContaining(['ledger', 'third-ledger']));
  });
});

describe('a folder whose project was deleted', () => {
  test('is not silently deployed to a new project of that name', async () => {
    const folder = site('album', 'first');
    await ada.run(['deploy', folder]);
    await removeProject(folder);
    expect(await ada.run(['deploy', folder])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/links this folder to the project album \(prj_\w+\), which does not exist here/),
    });
    expect(await names()).not.toContain('album');
    expect(await ada.run(['deploy', folder, '--new'])).toMatchObject({ code: 0 });
    expect(await ada.run(['deploy', folder])).toMatchObject({ code: 0 });
  });

  test('does not replace another project that has the name now', async () => {
    const folder = site('notes', 'first');
    await ada.run(['deploy', folder]);
    await removeProject(folder);
    const url = (await ada.run(['deploy', site('notes', 'second')])).stdout.trim();
    expect(await ada.run(['deploy', folder])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/does not exist here.* A project called notes exists .*--project notes/),
    });
    expect((await ask(url)).body).toBe('second');
    expect(await ada.run(['plan', folder])).toMatchObject({ code: 1, stderr: expect.stringContaining('does not') });
  });
});

describe('a name with a reserved or taken slug', () => {
  test('is refused without a terminal, unless --yes accepts the other address', async () => {
    const folder = site('blog', 'first');
    const refused = await ada.run(['deploy', folder]);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toMatch(
      /The slug blog is reserved: .* slug blog-2 and the address http:\/\/blog-2\.localhost:\d+\. .*--yes.*--new=<name>/,
    );
    expect(await names()).not.toContain('blog');
    expect((await ada.run(['deploy', folder, '--yes'])).stdout).toMatch(/^http:\/\/blog-2\.localhost/);
    await ada.json(['api', '/api/projects', '-d', '{"name":"Somebody","slug":"gazette"}']);
    expect(await ada.run(['deploy', site('Gazette.', 'second')])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/The slug gazette is taken: .* slug gazette-2/),
    });
  });

  test.skipIf(!existsSync('/usr/bin/script'))('prompts on a terminal', async () => {
    const deploying = new Typist(ada, ['deploy', site('docs', 'first')]);
    await deploying.answer('Create it? [y/N]', 'y');
    expect(await deploying.end()).toBe(0);
    expect(deploying.screen).toContain('docs-2');
    expect(await names()).toContain('docs');
  });
});

test('a handwritten link has only the name, works on every instance, and protects from a misspelt name', async () => {
  const folder = site('anything', 'first');
  const url = (await ada.run(['deploy', folder, '--project', 'handbook'])).stdout.trim();
  writeFileSync(join(folder, 'mooring.json'), '{"project": "handbook"}');
  expect(await ada.run(['deploy', folder])).toMatchObject({ code: 0, stdout: `${url}\n` });
  expect(linkIn(folder)).toEqual({ project: 'handbook' });

  expect(await ada.run(['deploy', folder, '--project', 'handbok'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no project handbok; did you mean handbook? To create handbok, add --yes'),
  });
  for (const named of [['handbook2'], ['handboo', '--yes']])
    expect(await ada.run(['deploy', folder, '--project', ...named]), named[0]).toMatchObject({ code: 0 });
});

test('contradictory options are refused', async () => {
  expect(await ada.run(['deploy', '--new', '--project', 'x'])).toMatchObject({ code: 2 });
  expect(await ada.run(['deploy', '--new', 'diary'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('to name the new project: --new=diary'),
  });
});
