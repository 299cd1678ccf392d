import { createHash } from 'node:crypto';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isServiceImageThere,
  removeServiceImages,
} from '../../src/areas/deployments/build/service-images/service-images.ts';
import { type ImagesEngine, imagesRig, startImagesEngine } from '../../src/drivers/images/images-rig.ts';
import { busybox, makeImage } from '../rig/docker-images.ts';
import { nodeBase } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { stackRig } from '../rig/service-images.ts';

/** For checking a site's settings: the rig has no web server image. */
const webServer = {
  ...busybox,
  name: 'nginxinc/nginx-unprivileged:1.28-alpine',
  writable: ['/etc/nginx/conf.d', '/usr/share/nginx/html'],
  changes: ['USER 101'],
};

describe.runIf(has('docker'))('images of services', () => {
  let engine: ImagesEngine;
  beforeAll(async () => {
    engine = await startImagesEngine();
    await makeImage(engine.client, nodeBase());
    await makeImage(engine.client, webServer);
  });
  afterAll(() => engine?.close());

  const configOf = (imageId: string) =>
    engine
      .get<{ Config: { Labels: Record<string, string>; Cmd: string[]; Entrypoint: string[] } }>(
        `/images/${imageId}/json`,
      )
      .then(({ Config }) => Config);

  it('are built according to their compose file', async () => {
    const { images } = imagesRig(engine.client);
    const secret = 'S3cr3t of the file';
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    const { make, lines } = await stackRig(
      images,
      {
        'compose.yaml': `
services:
  web:
    build:
      context: ./web
      dockerfile: ../docker/web.Dockerfile
      target: app
      args: {GREETING: hello, NOBODY: null, BUILDKIT_INLINE_CACHE: 1}
      labels: {com.example.team: us}
      extra_hosts: ["db.example:192.0.2.7"]
      secrets: [token, {source: text, target: other}]
      platforms: [linux/s390x, linux/arm64, linux/amd64]
  Other_one.x:
    build: {context: ., dockerfile_inline: "FROM busybox\\nCOPY web/file /file\\nVOLUME /data\\nEXPOSE 90 80\\nHEALTHCHECK CMD true\\n"}
secrets:
  token: {file: ./secrets/token}
  text: {environment: TEXT}
`,
        '.env': 'TEXT=a text',
        'web/file': 'of the web',
        'web/left-out': 'by the rules beside the Dockerfile',
        'web/.dockerignore': 'file\n',
        'docker/web.Dockerfile.dockerignore': 'left-out\n',
        'secrets/token': secret,
        'docker/web.Dockerfile': [
          'FROM busybox AS app',
          'ARG GREETING=no',
          'ARG NOBODY=mine',
          'ARG FROM_PROJECT=no',
          'COPY . /app',
          'RUN echo "$GREETING $NOBODY $FROM_PROJECT" && grep db.example /etc/hosts | xargs',
          `RUN --mount=type=secret,id=token sha256sum /run/secrets/token | grep ${hash(secret)}`,
          `RUN --mount=type=secret,id=other sha256sum /run/secrets/other | grep ${hash('a text')}`,
          `RUN --mount=type=secret,id=OF_PROJECT sha256sum /run/secrets/OF_PROJECT | grep ${hash('its value')}`,
          'FROM app',
          'RUN false',
        ].join('\n'),
      },
      {
        variables: [
          { key: 'FROM_PROJECT', value: 'given', secret: false, buildTime: true },
          { key: 'OF_PROJECT', value: 'its value', secret: true, buildTime: true },
          { key: 'NOT_NOW', value: 'x', secret: false, buildTime: false },
        ],
      },
    );
    const web = await make('web');
    expect(web).toMatchObject({ isOwn: true, port: null, ports: [], volumes: [], hasHealthcheck: false });
    expect(web.image).toMatch(/^mooring\/prj_1:dep_\w+-web$/);
    expect(lines['web']).toEqual(expect.arrayContaining(['hello mine given', '192.0.2.7 db.example']));
    expect(lines['web']!.join('\n')).toMatch(/Built for linux\/\w+ only/);
    expect((await configOf(web.imageId)).Labels).toMatchObject({ 'com.example.team': 'us', 'mooring.service': 'web' });
    expect(await engine.run(web.imageId, ['cat', '/app/file'])).toBe('of the web');
    expect((await engine.run(web.imageId, ['ls', '/app'])).trim()).toBe('file');
    const other = await make('Other_one.x');
    expect(other).toMatchObject({ ports: [80, 90], volumes: ['/data'], hasHealthcheck: true });
    expect(other.image).toMatch(/-Other_one\.x$/);
    expect(await make('web')).toEqual(web);
  });

  it('are rejected with a message if they reference something missing', async () => {
    const { images } = imagesRig(engine.client);
    const afterwards = (folder: string) => {
      rmSync(join(folder, 'out'));
      symlinkSync('/etc/passwd', join(folder, 'out'));
    };
    const refused = async (build: string, files = {}) => {
      const compose = `services:\n  web: {build: ${build}}\nsecrets:\n  out: {file: ./out}\n  big: {file: ./big}`;
      const all = {
        'compose.yaml': compose,
        Dockerfile: 'FROM busybox\nRUN --mount=type=secret,id=out cat /run/secrets/out',
        ...files,
      };
      return (await stackRig(images, all, { afterwards })).make('web').catch((error: unknown) => error);
    };
    for (const [build, message] of [
      ['{context: ./none}', 'none is not a folder of the source'],
      ['{context: ./away}', 'away is not a folder of the source'],
      ['{context: ., dockerfile: None}', 'there is no file "None"'],
      ['{context: ./in, dockerfile: ../None}', 'the source has no file None to build from'],
      ['{context: ., additional_contexts: {x: ./away}}', 'away is not a folder of the source'],
      ['{context: ., additional_contexts: {x: "https://example.com/x.git"}}', 'x cannot be taken from https'],
      ['{context: ., additional_contexts: {x: "service:none"}}', 'the service none, which does not exist'],
      ['{context: ., additional_contexts: {x: "service:web"}}', 'web is built from web'],
      ['{context: ., additional_contexts: {"a b": ./in}}', 'it is not a valid stage name'],
      ['{context: ., network: host}', 'builds cannot use the network host'],
      ['{context: ., privileged: true}', 'builds run without privileges'],
      ['{context: ., entitlements: [security.insecure]}', 'builds cannot have security.insecure'],
      ['{context: ., platforms: [linux/s390x]}', '"linux/s390x" cannot be built here'],
      ['{context: ., target: nothing}', 'no stage "nothing"'],
      ['{context: ., secrets: [out]}', 'which is not a file of the source'],
      ['{context: ., secrets: [big]}', 'larger than 512000 bytes'],
      ['{context: ., labels: {mooring.instance: x}}', 'the label mooring.instance is reserved'],
      ['{context: ., args: {BUILDKIT_SYNTAX: evil}}', 'is reserved'],
    ] as const) {
      const files = { 'in/x': '', away: '-> /etc', out: '', big: 'x'.repeat(600_000) };
      const error = await refused(build, files);
      expect(error, build).toMatchObject({
        code: expect.stringMatching(/^(build_refused|no_root_directory)$/) as string,
      });
      expect((error as Error).message).toContain(message);
    }
    const compose =
      'services:\n  web: {build: ., platform: linux/s390x}\n  old: {image: busybox, platform: windows/amd64}';
    const { make } = await stackRig(images, { 'compose.yaml': compose, Dockerfile: 'FROM busybox' });
    for (const name of ['web', 'old']) await expect(make(name)).rejects.toMatchObject({ code: 'platform_refused' });
    await expect(
      (
        await stackRig(images, {
          'compose.yaml': 'services:\n  web: {build: .}',
          Dockerfile: 'FROM busybox\nRUN exit 3',
        })
      ).make('web'),
    ).rejects.toMatchObject({ code: 'build_failed' });
  });

  it('that exist locally are used, except those of other organizations', async () => {
    const { images, build } = imagesRig(engine.client);
    const foreign = await build('FROM busybox\nRUN echo private > /p', { owner: { organizationId: 'org_victim' } });
    const ours = await build('FROM busybox\nEXPOSE 81\nVOLUME /v');
    const id = foreign.imageId.replace('sha256:', '');
    const names = [
      'busybox',
      ours.image,
      foreign.image,
      id,
      id.slice(0, 12),
      foreign.imageId,
      `docker.io/${foreign.image}`,
    ];
    const services = names.map((image, i) => `  s${i}: {image: "${image}"}`).join('\n');
    const { make } = await stackRig(images, {
      'compose.yaml': `services:\n${services}\n  n: {image: none, pull_policy: never}`,
    });
    const found = await images.findByName('busybox');
    expect(await make('s0')).toMatchObject({ image: 'busybox', imageId: found!.imageId, isOwn: false, port: null });
    expect(await make('s1')).toMatchObject({ imageId: ours.imageId, isOwn: false, ports: [81], volumes: ['/v'] });
    for (const name of ['s2', 's3', 's4', 's5', 's6'])
      await expect(make(name), name).rejects.toMatchObject({ code: 'image_refused' });
    await images.remove(foreign.image);
    // The name is never pulled: its owner at a registry could replace our image.
    await expect(make('s2')).rejects.toThrow('the name of a local image');
    await expect(make('n')).rejects.toThrow('none does not exist here, and its pull_policy is never');
  });

  it('of apps are built from the detection result, each with its own settings', async () => {
    const { images } = imagesRig(engine.client);
    const app = (name: string) => JSON.stringify({ name, scripts: { start: 'node server.js' } });
    const server = 'console.log("listens on " + process.env.PORT)';
    const { make, lines } = await stackRig(
      images,
      {
        'api/package.json': app('api'),
        'api/server.js': server,
        'own/package.json': app('own'),
        'own/Dockerfile.dockerignore': 'left-out\n',
        'own/left-out': '',
        'own/Dockerfile': 'FROM busybox\nCOPY . /own\nEXPOSE 7000\nCMD ["false"]\n# \\\n',
        'site/index.html': '<h1>a site</h1>',
        'spa/package.json': JSON.stringify({ scripts: { build: 'mkdir -p dist && echo built > dist/index.html' } }),
        'nothing/readme': '',
        out: '-> /etc',
      },
      {
        entries: [
          { name: 'api', rootDirectory: 'api', port: 4000 },
          {
            name: 'byvariable',
            rootDirectory: 'api',
            environment: { PORT: '4100' },
            startCommand: 'node server.js extra',
          },
          { name: 'own', rootDirectory: 'own' },
          { name: 'started', rootDirectory: 'own', startCommand: 'echo "from $0" here' },
          { name: 'site', rootDirectory: 'site' },
          { name: 'spa', rootDirectory: 'spa', outputDirectory: 'dist', port: 3000 },
          { name: 'nothing', rootDirectory: 'nothing' },
          { name: 'out', rootDirectory: 'out' },
          { name: 'manager', rootDirectory: 'api', packageManager: 'pnpm' },
        ],
      },
    );
    expect(await make('api')).toMatchObject({ isOwn: true, port: 4000 });
    const byVariable = await make('byvariable');
    expect(byVariable.port).toBe(4100);
    expect((await configOf(byVariable.imageId)).Cmd.join(' ')).toContain('node server.js extra');
    expect(await make('own')).toMatchObject({ port: 7000, ports: [7000] });
    expect(lines['own']!.join('\n')).toContain('Built with its own Dockerfile');
    const started = await make('started');
    const { Cmd, Entrypoint } = await configOf(started.imageId);
    expect(await engine.run(started.imageId, ['ls', '/own'])).not.toContain('left-out');
    expect([Entrypoint, Cmd]).toEqual([['/bin/sh', '-c'], ['echo "from $0" here']]);

    const site = await make('site');
    expect(site).toMatchObject({ port: 8080, ports: [8080] });
    expect(await engine.run(site.imageId, ['cat', '/usr/share/nginx/html/index.html'])).toBe('<h1>a site</h1>');
    const spa = await make('spa');
    expect(spa).toMatchObject({ port: 3000, ports: [3000] });
    const printed = await engine.run(spa.imageId, [
      'cat',
      '/usr/share/nginx/html/index.html',
      '/etc/nginx/conf.d/default.conf',
    ]);
    expect(printed).toMatch(/^built\nserver \{\n {2}listen 3000;\n[^]*try_files \$uri \$uri\/ \$uri.html/);

    await expect(make('nothing')).rejects.toMatchObject({ code: 'nothing_to_run' });
    await expect(make('out')).rejects.toMatchObject({ code: 'no_root_directory' });
    await expect(make('manager')).rejects.toThrow('pnpm does not match the lock file of the source');
  });

  it('are built from images, services and other folders', async () => {
    const { images } = imagesRig(engine.client);
    const { make } = await stackRig(images, {
      'compose.yaml': `
services:
  web:
    build: {context: ./web, additional_contexts: {base: "service:base", shared: ./shared, tools: "docker-image://busybox"}}
  other: {build: {context: ./web, dockerfile_inline: "FROM base", additional_contexts: {base: "service:base"}}}
  base: {build: {dockerfile_inline: "FROM busybox\\nRUN echo base > /base"}}
`,
      'web/Dockerfile': [
        'ARG WHICH=base',
        '# of the services',
        'FROM $WHICH AS build',
        'COPY --from=shared . /shared',
        'COPY --from=tools /bin/busybox /tools/',
        'COPY . /web',
        'FROM build',
        'RUN cat /base /shared/*',
      ].join('\n'),
      'web/w': '',
      'shared/a': 'of a\n',
      'shared/not': 'x',
      'shared/.dockerignore': 'not',
    });
    // Both need the same base concurrently.
    const [web, other] = await Promise.all([make('web'), make('other')]);
    const printed = await engine.run(web.imageId, ['sh', '-c', 'cat /base /shared/*; ls -1 /shared /tools /web']);
    expect(printed).toBe('base\nof a\n/shared:\na\n\n/tools:\nbusybox\n\n/web:\nDockerfile\nw\n');
    expect(await engine.run(other.imageId, ['cat', '/base'])).toBe('base\n');
    const names = (await images.list()).map(({ owner }) => owner.service);
    expect(names.filter((name) => name.includes('context'))).toEqual([]);
  });

  it('are built two at a time, and each attempt can be cancelled', async () => {
    const { images } = imagesRig(engine.client);
    const names = ['a', 'b', 'c', 'd'];
    const compose = names.map((name) => `  ${name}: {build: {context: ., dockerfile: ${name}}}`).join('\n');
    const files = Object.fromEntries(
      names.map((name) => [name, `FROM busybox\nRUN echo begin; sleep 2; echo end # ${name}`]),
    );
    const all = { 'compose.yaml': `services:\n${compose}`, ...files };
    const { make, lines } = await stackRig(images, all);
    const most = { now: 0, ever: 0 };
    const watch = setInterval(() => {
      most.now = names.filter((name) => lines[name]?.includes('begin') && !lines[name].includes('end')).length;
      most.ever = Math.max(most.ever, most.now);
    }, 20);
    await Promise.all(names.map((name) => make(name)));
    clearInterval(watch);
    expect(most.ever).toBe(2);

    const cancel = new AbortController();
    const longer = Object.fromEntries(names.map((name) => [name, `FROM busybox\nRUN sleep 60 # ${name} longer`]));
    const cancelled = await stackRig(images, { ...all, ...longer }, { signal: cancel.signal });
    const ends = names.map((name) => cancelled.make(name).catch((error: unknown) => error));
    await sleep(1_500);
    const began = Date.now();
    cancel.abort(new Error('enough'));
    for (const end of await Promise.all(ends)) expect(String(end)).toBe('Error: enough');
    expect(Date.now() - began).toBeLessThan(12_000);
  });

  it('are removed when unused, but only those that were built', async () => {
    const { images } = imagesRig(engine.client);
    const compose = 'services:\n  a: {build: .}\n  b: {build: .}\n  c: {image: busybox}\n';
    const { make, context } = await stackRig(images, {
      'compose.yaml': compose,
      Dockerfile: 'FROM busybox\nRUN echo 1 > /x',
    });
    const [a, b, c] = [await make('a'), await make('b'), await make('c')];
    const { parts, deployment } = context;
    const { Id } = await engine.post<{ Id: string }>('/containers/create', { Image: b.imageId, Cmd: ['true'] });
    const old = { projectId: deployment.projectId, deploymentId: deployment.id, services: ['a', 'b', 'c', 'never'] };
    expect(await removeServiceImages(parts, old)).toEqual(['b']);
    expect(await Promise.all([a, b, c].map((image) => isServiceImageThere(parts, image)))).toEqual([false, true, true]);
    await engine.client.json({ method: 'DELETE', path: `/containers/${Id}` });
    expect(await removeServiceImages(parts, { ...old, imageIds: [b.imageId, c.imageId] })).toEqual([]);
    expect(await isServiceImageThere(parts, b)).toBe(false);
    expect(await isServiceImageThere(parts, c)).toBe(true);
  });
});
