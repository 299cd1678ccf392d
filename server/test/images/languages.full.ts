import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderTree } from '../../src/detect/folder-tree.ts';
import { detect } from '../../src/detect/index.ts';
import { generateDockerfile } from '../../src/dockerfile/index.ts';
import { newFolder } from '../rig/children.ts';
import { ask, begin, ended, ensureProject, events, folderOf } from '../rig/deploy.ts';
import type { Docker } from '../rig/docker.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { sayFigures } from '../rig/figures.ts';
import { makeStandIns, missingFor } from '../rig/language-images.ts';
import { has } from '../rig/parts.ts';
import { isReachable, openWayOut, type WayOut } from '../rig/way-out.ts';
import { apps, type LanguageApp } from './language-apps.ts';

const examples = resolve(import.meta.dirname, '../../../examples');
const folders = new Map(apps.map((app) => [app, folderFor(app)] as const));

function folderFor({ files, example, instead }: LanguageApp): string {
  if (files) return folderOf(files);
  const folder = newFolder('source');
  cpSync(resolve(examples, example!), folder, { recursive: true });
  if (instead) {
    const path = join(folder, instead.file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(instead.of, instead.take));
  }
  return folder;
}

/** The Dockerfile that the service will generate. */
async function dockerfileOf(app: LanguageApp) {
  const options = { folder: '', startCommand: null, outputDirectory: null, variables: [], secrets: [] };
  const found = await detect(folderTree(folders.get(app)!));
  return generateDockerfile(found, {
    installCommand: null,
    buildCommand: null,
    cacheScope: 'x',
    ...options,
    ...app.settings,
  })!;
}

/** The users of a deployment's processes. */
async function usersIn({ client }: Docker, deployment: string): Promise<Set<string>> {
  const query = { filters: JSON.stringify({ label: [`mooring.deployment=${deployment}`] }) };
  const [container] = await client.json<{ Id: string }[]>({ method: 'GET', path: '/containers/json', query });
  const path = `/containers/${container!.Id}/top`;
  type Top = { Processes: [pid: string, uid: string][] };
  const { Processes } = await client.json<Top>({ method: 'GET', path, query: { ps_args: '-eo pid,uid' } });
  return new Set(Processes.map(([, uid]) => uid));
}

/** Wheels of the Python apps' dependencies, from any source of this machine. */
function fetchWheels(): string | undefined {
  const folder = newFolder('wheels');
  const args = ['-m', 'pip', 'download', '--quiet', '--retries', '0', '--only-binary', ':all:', '--dest', folder];
  try {
    execFileSync('/usr/bin/python3', [...args, 'flask', 'gunicorn'], { stdio: 'ignore', timeout: 60_000 });
    return folder;
  } catch {
    return undefined;
  }
}

const mirrors = {
  debian: 'http://deb.debian.org/debian/dists/bookworm/Release',
  npm: 'https://registry.npmjs.org/npm',
};
const reach = { debian: await isReachable(mirrors.debian), npm: await isReachable(mirrors.npm) };
const wheels = fetchWheels();

/** Why an app cannot be built here; undefined if it can. */
async function obstacle(app: LanguageApp): Promise<string | undefined> {
  const { dockerfile, images } = await dockerfileOf(app);
  const missing = images.flatMap((image) => missingFor(image) ?? [`a stand-in for ${image}`]);
  if (missing.length) return `${[...new Set(missing)].join(', ')} is not on this machine`;
  if (app.fetches === 'npm' && !reach.npm) return 'the registry of npm does not answer';
  if (app.fetches === 'wheels' && !wheels) return 'pip has no index here that answers';
  return dockerfile.includes('apt-get') && !reach.debian ? 'the mirror of Debian does not answer' : undefined;
}

const obstacles = new Map(
  await Promise.all((has('docker') ? apps : []).map(async (app) => [app, await obstacle(app)] as const)),
);
const buildable = apps.filter((app) => obstacles.has(app) && obstacles.get(app) === undefined);

describe.runIf(has('docker'))('an app of each language, from source to response', () => {
  let rig: DockerService;
  let wayOut: WayOut;
  beforeAll(async () => {
    for (const [app, why] of obstacles) if (why) sayFigures('LEFT OUT', { app: app.name, because: why });
    rig = await startDockerService();
    wayOut = await openWayOut(rig.docker.namespace.gateway);
    const images = (await Promise.all(buildable.map(dockerfileOf))).flatMap((made) => made.images);
    await makeStandIns(rig.docker.client, images, { wayOut: wayOut.url, hasRegistry: reach.npm, wheels });
  }, 400_000);
  afterAll(async () => {
    wayOut?.close();
    await rig?.close();
    // Removing many images takes a while.
  }, 300_000);

  it.each(buildable.map((app) => [app.name, app] as const))(
    '%s',
    async (name, app) => {
      const { service, docker } = rig;
      const project = await ensureProject(service, name.toLowerCase().replaceAll(/\W+/g, '-'), app.settings);
      const began = Date.now();
      const id = await begin(service, project, folders.get(app)!);
      const { error, urls } = await ended(service, id, 280_000);
      const lines = (await events(service, id)).map(({ data }) => data['line']).filter(Boolean);
      expect(error, lines.slice(-40).join('\n')).toBeNull();
      expect((await ask(urls[0]!)).body).toContain(app.answer);
      if (!app.isSite) expect(await usersIn(docker, id)).toEqual(new Set(['10001']));
      sayFigures(name, { fromSourceToAnswerMs: Date.now() - began });
    },
    300_000,
  );
});
