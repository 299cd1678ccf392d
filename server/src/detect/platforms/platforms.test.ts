import { describe, expect, it } from 'vitest';
import { detect } from '../index.ts';
import { memoryTree } from '../memory-tree.ts';

const look = (files: Record<string, string>, folder = '') => detect(memoryTree(files), folder);
const json = (value: unknown) => JSON.stringify(value);
const flask = { 'requirements.txt': 'flask\ngunicorn', 'app.py': 'from flask import Flask\napp = Flask(__name__)' };
const node = { 'package.json': json({ scripts: { build: 'tsc', start: 'node dist' } }), 'package-lock.json': '{}' };
const vite = {
  'package.json': json({ scripts: { build: 'vite build' }, devDependencies: { vite: '7' } }),
  'package-lock.json': '{}',
  'index.html': '',
};

describe('settings files of other platforms', () => {
  it('nixpacks.toml: packages, commands, versions and variables', async () => {
    const found = await look({
      ...node,
      'nixpacks.toml': `
        providers = ["node"]
        [phases.setup]
        nixPkgs = ["...", "nodejs_20", "ffmpeg", "python311", "poppler_utils", "odd-tool"]
        aptPkgs = ["libgl1-mesa-glx", "bad;name"]
        [phases.install]
        cmds = ["npm ci --legacy-peer-deps"]
        [phases.build]
        cmds = ["npx prisma generate", "npm run build", "npx prisma migrate deploy"]
        [phases.extra]
        cmds = ["echo"]
        [start]
        cmd = "node dist/server.js"
        [variables]
        FEATURE = "on"
        NIXPACKS_NODE_VERSION = "18"`,
    });
    expect(found).toMatchObject({
      languageVersion: '20',
      installCommand: 'npm ci --legacy-peer-deps',
      buildCommand: 'npx prisma generate && npm run build',
      releaseCommand: 'npx prisma migrate deploy',
      startCommand: 'node dist/server.js',
      systemPackages: ['ffmpeg', 'poppler-utils', 'libgl1', 'python3'],
      defaults: [{ key: 'FEATURE', value: 'on' }],
    });
    expect(found.reasons.join('\n')).toContain(
      'nixpacks.toml: ignored: phases.extra, the Nix package odd-tool, the package bad?name',
    );
  });

  it('railpack.json and railway.json', async () => {
    const found = await look({
      ...node,
      'railpack.json': json({
        packages: { node: '22.3' },
        deploy: { aptPackages: ['ffmpeg'] },
        steps: { build: { commands: ['...', { cmd: 'npm run index' }] } },
      }),
      'railway.json': json({
        build: { builder: 'NIXPACKS' },
        deploy: { startCommand: 'node a.js', preDeployCommand: ['one', 'two'], healthcheckPath: '/up', numReplicas: 2 },
      }),
    });
    expect(found).toMatchObject({
      languageVersion: '22.3',
      buildCommand: 'npm run build && npm run index',
      startCommand: 'node a.js',
      releaseCommand: expect.stringContaining('one && two') as string,
      healthPath: '/up',
      systemPackages: ['ffmpeg'],
    });
    expect(found.reasons).toContain('railway.json: ignored: deploy.numReplicas');
  });

  it('render.yaml: the web service, with its script, variables and disk', async () => {
    const found = await look({
      ...flask,
      'build.sh': '#!/bin/bash\nset -o errexit\npip install -r requirements.txt\npython make.py\nflask db upgrade\n',
      'render.yaml': `
services:
  - {type: worker, name: mailer}
  - type: web
    name: shop
    runtime: python
    region: oregon
    buildCommand: ./build.sh
    startCommand: gunicorn app:app
    healthCheckPath: /healthz
    disk: {name: files, mountPath: /opt/render/project/src/files}
    envVars:
      - {key: PYTHON_VERSION, value: 3.11.9}
      - {key: PORT, value: 10000}
      - {key: WORKERS, value: 4}
      - {key: SECRET_KEY, generateValue: true}
      - {key: API_TOKEN, value: abc}
      - {key: SITE, value: "https://shop.onrender.com"}
databases:
  - {name: main}`,
    });
    expect(found).toMatchObject({
      languageVersion: '3.11.9',
      buildCommand: 'python make.py',
      releaseCommand: 'flask db upgrade',
      healthPath: '/healthz',
      port: 10_000,
      defaults: [{ key: 'WORKERS', value: '4' }],
      variables: [
        { key: 'WORKERS', example: '4' },
        { key: 'SECRET_KEY', example: null },
        { key: 'API_TOKEN', example: null },
        { key: 'SITE', example: null },
      ],
      generated: [{ key: 'SECRET_KEY', form: 'hex', unlessVariables: ['SECRET_KEY'] }],
      volumes: [{ name: 'files', path: 'files' }],
    });
    expect(found.reasons).toContain('render.yaml: ignored: region');
    expect(found.reasons).toContain('render.yaml: only shop is deployed, not mailer, the database main');
  });

  it('render.yaml: a service in another folder is for that folder', async () => {
    const files = {
      'web/requirements.txt': flask['requirements.txt'],
      'web/app.py': flask['app.py'],
      'render.yaml': 'services:\n  - {type: web, name: a, rootDir: web, startCommand: gunicorn app:app -w 3}',
    };
    expect((await look(files)).reasons.join('\n')).toContain(
      'render.yaml: not used, because it describes the app in web',
    );
    expect((await look(files, 'web')).startCommand).toContain('app:app -w 3');
  });

  it('fly.toml: port, health check, processes, volumes and another Dockerfile', async () => {
    const found = await look({
      ...node,
      'fly.Dockerfile': 'FROM node',
      'fly.toml': `
        app = "shop"
        primary_region = "ams"
        [build]
        dockerfile = "fly.Dockerfile"
        [deploy]
        release_command = "npm run migrate"
        [env]
        LOG = "info"
        [processes]
        app = "node web.js"
        mail = "node mail.js"
        [http_service]
        internal_port = 4000
        [[http_service.checks]]
        path = "/ping"
        [mounts]
        source = "data"
        destination = "/app/data"`,
    });
    expect(found).toMatchObject({
      dockerfile: 'fly.Dockerfile',
      port: 4000,
      healthPath: '/ping',
      startCommand: 'node web.js',
      releaseCommand: 'npm run migrate',
      defaults: [{ key: 'LOG', value: 'info' }],
      volumes: [{ name: 'data', path: 'data' }],
    });
    expect(found.reasons.join('\n')).toMatch(/ignored: primary_region[^]*the process mail is not started/);
  });

  it('app.json, heroku.yml, Aptfile and .buildpacks', async () => {
    const found = await look({
      ...flask,
      'app.json': json({
        name: 'Shop',
        env: { MODE: 'live', KEY_BASE: { generator: 'secret' }, LIMIT: { value: '5' }, MAIL: { required: true } },
        addons: ['heroku-postgresql:mini'],
        formation: { web: { quantity: 1 } },
      }),
      'heroku.yml': 'run:\n  web: gunicorn app:app\nrelease:\n  command:\n    - flask db upgrade',
      Aptfile: '# tools\nffmpeg\nhttps://example.org/a.deb\n',
      '.buildpacks': 'https://github.com/heroku/heroku-buildpack-apt\n',
    });
    expect(found).toMatchObject({
      defaults: [
        { key: 'MODE', value: 'live' },
        { key: 'LIMIT', value: '5' },
      ],
      generated: [{ key: 'KEY_BASE' }],
      systemPackages: ['ffmpeg'],
      releaseCommand: expect.stringContaining('flask db upgrade') as string,
    });
    const said = found.reasons.join('\n');
    for (const part of [
      'app.json: ignored: formation',
      'app.json: the add-ons heroku-postgresql:mini are not created',
      'Aptfile: ignored: https://example.org/a.deb',
      '.buildpacks: ignored: github.com/heroku/heroku-buildpack-apt',
    ])
      expect(said).toContain(part);
  });

  it.each([
    ['Expo', { expo: { name: 'a' }, env: { A: 'b' } }],
    ['React Native', { name: 'a', displayName: 'A' }],
    ['a mini program', { pages: ['index'] }],
  ])('app.json of %s is another file', async (_, content) => {
    const found = await look({ ...node, 'app.json': json(content) });
    expect(found.reasons.join('\n')).not.toContain('app.json');
    expect(found.defaults).toEqual([]);
  });

  it('netlify.toml and vercel.json: the folder and the fallback of a site', async () => {
    const toml = `
      [build]
      command = "npm install && npm run build:site"
      publish = "out"
      [build.environment]
      NODE_VERSION = "18"
      NPM_FLAGS = "--legacy-peer-deps"
      [[redirects]]
      from = "/*"
      to = "/index.html"
      status = 200
      [[redirects]]
      from = "/old"
      to = "/new"
      [[headers]]
      for = "/*"`;
    const found = await look({ ...vite, 'netlify.toml': toml });
    expect(found).toMatchObject({
      languageVersion: '18',
      installCommand: 'npm install --legacy-peer-deps',
      buildCommand: 'npm run build:site',
      outputDirectory: 'out',
      fallback: 'index.html',
    });
    expect(found.reasons).toContain('netlify.toml: ignored: headers, redirects');
    const server = await look({ ...node, 'netlify.toml': toml });
    expect(server).toMatchObject({
      startCommand: 'npm run start',
      buildCommand: 'npm run build',
      languageVersion: null,
    });
    expect(server.reasons).toContain('netlify.toml: not used, because it describes a site, and the app is a program');
    const site = await look({
      ...vite,
      'vercel.json': json({ outputDirectory: 'www', buildCommand: 'npm run www', crons: [], rewrites: [] }),
    });
    expect(site).toMatchObject({ outputDirectory: 'www', buildCommand: 'npm run www' });
    expect(site.reasons).toContain('vercel.json: ignored: crons');
  });

  it('leaves out commands whose program the image lacks', async () => {
    const found = await look({ ...flask, 'render.yaml': 'services: [{type: web, buildCommand: "npm run build"}]' });
    expect(found.buildCommand).toBeNull();
    expect(found.reasons).toContain('render.yaml: `npm run build` is not used: the image for this app has no Node.js');
  });

  it.each([
    ['nixpacks.toml', '[phases]\nsetup = 3\n[start]\ncmd = ["a"]'],
    ['render.yaml', 'services: {web: [1]}'],
    ['render.yaml', `a: ${'['.repeat(50_000)}`],
    ['render.yaml', 'a: &a [*a, *a]\nservices: *a'],
    ['fly.toml', 'services = [1]\nmounts = "a"\nenv = 1\nprocesses = [1]'],
    ['app.json', '{"env": [1], "scripts": 1, "addons": {"a": 1}, "__proto__": {"env": {}}}'],
    ['heroku.yml', 'run: 1\nbuild: [docker]\nrelease: {command: {a: 1}}'],
    ['vercel.json', '{"rewrites": {}, "env": [], "outputDirectory": "../.."}'],
    ['netlify.toml', 'redirects = 1\n[build]\npublish = "../../etc"\ncommand = 4'],
    ['Procfile', 'web: '.repeat(10_000)],
  ])('survives odd values in %s: %j', async (file, text) => {
    const found = await look({ ...flask, [file]: text });
    expect(found).toMatchObject({ language: 'python', framework: 'flask' });
    expect(found.outputDirectory).toBeNull();
  });
});

it('app.yaml: entry point and variables of App Engine', async () => {
  const settings =
    'runtime: python313\nentrypoint: gunicorn -b :$PORT app:app\nenv_variables:\n  MODE: x\nhandlers: []\n';
  const found = await look({ ...flask, 'app.yaml': settings });
  expect(found).toMatchObject({ startCommand: 'gunicorn -b :$PORT app:app', defaults: [{ key: 'MODE', value: 'x' }] });
  expect(found.reasons.join()).toContain('app.yaml: ignored: handlers');
  expect((await look({ ...flask, 'app.yaml': 'entrypoint: other\n' })).startCommand).toContain('.venv/bin/gunicorn');
});
