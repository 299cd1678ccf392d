import { describe, expect, it } from 'vitest';
import { detect } from '../index.ts';
import { memoryTree } from '../memory-tree.ts';

const look = (files: Record<string, string>) => detect(memoryTree(files));
const app = (files: Record<string, string>) => look({ 'main.py': '', ...files });

describe('the version of Python', () => {
  it.each([
    ['numpy==1.21.2', '3.10'],
    ['Django==2.1.5\nnumpy==1.26.4', '3.7'],
    ['django~=3.2.0', '3.10'],
    ['pandas[excel] == 1.5.3 ; python_version > "3"', '3.11'],
    ['psycopg2_binary==2.8.6', '3.9'],
    ['numpy==2.3.1', null],
    ['numpy>=1.20', null],
  ])('for %j is %s', async (requirements, version) =>
    expect((await app({ 'requirements.txt': `${requirements}\n` })).languageVersion).toBe(version),
  );

  it.each([
    ['gunicorn==20.1.0', " 'setuptools<81'"],
    ['gunicorn==20.1.0\nsetuptools==70.0.0', ''],
    ['gunicorn==23.0.0', ''],
  ])('with %j gets the modules that setuptools has removed: %s', async (list, added) =>
    expect((await app({ 'requirements.txt': list })).installCommand).toBe(
      `python3 -m venv .venv && .venv/bin/pip install -r requirements.txt${added}`,
    ),
  );

  it('says which package limits it, and does not overrule the source', async () => {
    const old = { 'requirements.txt': 'numpy==1.21.2\n' };
    expect((await app(old)).reasons).toContain('numpy 1.21.2: Python 3.10, the newest that it supports');
    expect((await app({ ...old, 'runtime.txt': 'python-3.8.10' })).languageVersion).toBe('3.8.10');
    const range = { 'pyproject.toml': '[project]\nrequires-python = ">=3.8"\n' };
    expect((await app({ ...old, ...range })).languageVersion).toBe('3.10');
    const newer = { 'pyproject.toml': '[project]\nrequires-python = ">=3.12"\n' };
    expect((await app({ ...old, ...newer })).languageVersion).toBe('3.12');
    expect(
      (await app({ 'setup.py': '', 'setup.cfg': '[options]\npython_requires = >=3.8,<3.12\n' })).languageVersion,
    ).toBe('3.11');
  });

  it.each([
    ['poetry.lock', '[[package]]\nname = "pandas"\nversion = "1.3.4"\n', { 'pyproject.toml': '[tool.poetry]\n' }],
    ['Pipfile.lock', '{"default": {"pandas": {"version": "==1.3.4"}}}', { Pipfile: '[packages]\npandas = "*"\n' }],
  ])('follows %s', async (name, lock, files) =>
    expect((await app({ ...(files as Record<string, string>), [name]: lock })).languageVersion).toBe('3.10'),
  );

  it('is never 2', async () => {
    const { languageVersion, reasons } = await app({ 'runtime.txt': 'python-2.7.18', 'requirements.txt': 'flask' });
    expect(languageVersion).toBeNull();
    expect(reasons.join()).toContain('runtime.txt: Python 2 is not supported; port the app to Python 3');
  });
});

describe('requirements', () => {
  it('in UTF-16 are read', async () => {
    const list = Buffer.from('\uFEFFflask==3.0.0\r\npsycopg2==2.9.9\r\n', 'utf16le').toString('utf8');
    const found = await look({ 'app.py': 'app = Flask(__name__)\n', 'requirements.txt': list });
    expect(found).toMatchObject({ framework: 'flask', systemPackages: ['libpq5'] });
    expect(found.installCommand).toContain('pip install -r requirements.txt gunicorn');
  });

  it('in a folder, and in files that they include, are found', async () => {
    const found = await look({
      'manage.py': 'django',
      'site/wsgi.py': '',
      'requirements/production.txt': '-r base.txt\ngunicorn\n',
      'requirements/base.txt': 'django==4.0.1\npytesseract\n',
    });
    expect(found).toMatchObject({
      framework: 'django',
      languageVersion: '3.10',
      installCommand: 'python3 -m venv .venv && .venv/bin/pip install -r requirements/production.txt',
      installFiles: [],
      systemPackages: ['tesseract-ocr'],
    });
  });

  it.each([
    ['pdf2image', ['poppler-utils'], []],
    ['python-ldap', ['ldap-utils'], ['libldap2-dev', 'libsasl2-dev']],
    ['opencv-python', ['libgl1', 'libglib2.0-0'], []],
    ['yt-dlp', ['ffmpeg'], []],
  ])('need the Debian packages of %s', async (name, systemPackages, buildPackages) =>
    expect(await app({ 'requirements.txt': name })).toMatchObject({ systemPackages, buildPackages }),
  );
});

describe('Django', () => {
  const site = (settings: string, files: Record<string, string> = { 'requirements.txt': 'django\n' }) =>
    look({ 'manage.py': 'django', 'site/settings.py': settings, 'site/wsgi.py': '', ...files });

  it('migrates and collects static files if the settings say so', async () => {
    expect(await site('')).toMatchObject({ buildCommand: null, releaseCommand: null });
    expect(await site("STATIC_ROOT = BASE_DIR / 'static'\nDATABASES = {}\n")).toMatchObject({
      buildCommand: '.venv/bin/python manage.py collectstatic --noinput',
      releaseCommand: '.venv/bin/python manage.py migrate --noinput',
    });
  });

  it.each([
    ["os.environ['SECRET_KEY']", 'SECRET_KEY=${SECRET_KEY:-build} '],
    ["os.environ.get('DJANGO_SECRET_KEY')", 'DJANGO_SECRET_KEY=${DJANGO_SECRET_KEY:-build} '],
    ["os.environ.get('SENTRY_DSN')", ''],
    ["config('DEBUG', cast=bool)", 'DEBUG=${DEBUG:-False} '],
    ["config('DEBUG', default=True, cast=bool)", ''],
    ["env.db('DATABASE_URL')", 'DATABASE_URL=${DATABASE_URL:-sqlite:////tmp/build.sqlite3} '],
    ["env.int('EMAIL_PORT')", 'EMAIL_PORT=${EMAIL_PORT:-1} '],
    ["os.getenv('SECRET_KEY', 'x')", ''],
    ["env('A; id')", ''],
  ])('loads its settings in the build with %s', async (read, variables) =>
    expect((await site(`STATIC_ROOT = 'a'\nX = ${read}\n`)).buildCommand).toBe(
      `${variables}.venv/bin/python manage.py collectstatic --noinput`,
    ),
  );

  it('without a list of packages is installed in the version that created it', async () => {
    const found = await site('# https://docs.djangoproject.com/en/4.1/topics/settings/\n', {});
    expect(found).toMatchObject({ framework: 'django', languageVersion: '3.11' });
    expect(found.installCommand).toBe("python3 -m venv .venv && .venv/bin/pip install 'django~=4.1.0' gunicorn");
  });
});

describe('a function for Google Cloud', () => {
  it.each(['@functions_framework.http\ndef hello(r):', 'def hello(request):'])('%j', async (source) => {
    const found = await look({ 'requirements.txt': 'functions-framework==3.*\n', 'main.py': `${source}\n  pass\n` });
    expect(found.startCommand).toBe(
      '.venv/bin/functions-framework --target hello --host ${HOST:-0.0.0.0} --port ${PORT:-8080}',
    );
  });
});

it('GeoDjango has its libraries in the build and at run time', async () => {
  const settings = "INSTALLED_APPS = ['django.contrib.gis']\nWSGI_APPLICATION = 'site.wsgi.application'\n";
  const found = await look({ 'requirements.txt': 'django', 'manage.py': '', 'site/settings.py': settings });
  expect(found).toMatchObject({ systemPackages: ['gdal-bin'], buildPackages: ['gdal-bin'] });
});

describe('ALLOWED_HOSTS of Django', () => {
  it.each([
    ['ALLOWED_HOSTS = []', 'lists no hosts, and with DEBUG = False all requests get an error (400).'],
    ["ALLOWED_HOSTS = [\n  'shop.onrender.com',  # old\n  'localhost',\n]", 'lists shop.onrender.com, localhost,'],
    ["ALLOWED_HOSTS = ['*']", null],
    ['ALLOWED_HOSTS = os.environ["HOSTS"].split(",")', null],
    ["ALLOWED_HOSTS = [os.environ.get('HOST')]", null],
    ["ALLOWED_HOSTS = [] if DEBUG else env('HOSTS')", null],
    ['ALLOWED_HOSTS = []\nif HOST:\n  ALLOWED_HOSTS.append(HOST)', null],
    ['# ALLOWED_HOSTS = []\nDEBUG = True', null],
  ])('%j: a warning with %j', async (settings, said) => {
    const files = { 'requirements.txt': 'django', 'manage.py': '', 'shop/settings.py': settings, 'shop/wsgi.py': '' };
    const messages = (await look(files)).warnings.map(({ message }) => message);
    const about = messages.filter((message) => message.startsWith('ALLOWED_HOSTS'));
    expect(about).toEqual(said === null ? [] : [expect.stringContaining(said)]);
  });
});

describe('a program without a list of dependencies', () => {
  it('gets the well-known packages that it imports', async () => {
    const found = await look({
      'main.py':
        'import os, requests\nfrom flask_cors import CORS\nfrom flask import Flask\nimport evil, tools\napp = Flask(__name__)\n',
      'tools.py': 'from PIL import Image\nimport helpers.numpy\n# import pandas\n',
      'requests/__init__.py': '',
    });
    expect(found.installCommand).toBe(
      'python3 -m venv .venv && .venv/bin/pip install flask flask-cors pillow gunicorn',
    );
    expect(found.framework).toBe('flask');
    expect(found.reasons.join()).toContain('Add a requirements.txt to fix the versions');
  });

  it('installs nothing beside a list, or without such imports', async () => {
    expect((await look({ 'main.py': 'import flask', 'requirements.txt': '' })).installCommand).not.toContain('flask');
    expect((await look({ 'main.py': 'import http.server' })).installCommand).toBeNull();
  });
});

describe('a declared command for Gunicorn', () => {
  const flask = { 'app.py': 'app = Flask(__name__)', 'requirements.txt': 'flask\ngunicorn\n' };
  const bound = 'gunicorn --bind ${HOST:-0.0.0.0}:${PORT:-8000}';
  it.each([
    ['gunicorn -c gunicorn_config.py app:app', 'gunicorn_config.py', `${bound} -c gunicorn_config.py app:app`],
    ['gunicorn app:app', 'gunicorn.conf.py', `${bound} app:app`],
    ['gunicorn app:app', 'gunicorn_config.py', 'gunicorn app:app'],
    ['gunicorn -b :81 app:app', 'gunicorn.conf.py', 'gunicorn -b :81 app:app'],
  ])('%j does not keep the fixed port of %s', async (command, config, started) => {
    const files = { ...flask, Procfile: `web: ${command}\n`, [config]: 'bind = "0.0.0.0:8080"\n' };
    expect((await look(files)).startCommand).toBe(started);
    const free = { ...files, [config]: 'bind = f"0.0.0.0:{os.environ[\'PORT\']}"\n' };
    expect((await look(free)).startCommand).toBe(command);
  });
});
