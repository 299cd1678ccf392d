import type { BaseStage, Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';
import { atLeast, debianImage } from './debian.ts';

const managers: Record<string, { base: Omit<BaseStage, 'image'>; cache: string }> = {
  pip: { base: {}, cache: '/root/.cache/pip' },
  uv: {
    base: {
      copies: [['ghcr.io/astral-sh/uv:latest', '/uv', '/usr/local/bin/uv']],
      environment: { UV_LINK_MODE: 'copy', UV_PYTHON_DOWNLOADS: 'never' },
    },
    cache: '/root/.cache/uv',
  },
  poetry: { base: { commands: ['pip install --no-cache-dir poetry'] }, cache: '/root/.cache/pypoetry' },
  pdm: { base: { commands: ['pip install --no-cache-dir pdm'] }, cache: '/root/.cache/pdm' },
  pipenv: { base: { commands: ['pip install --no-cache-dir pipenv'] }, cache: '/root/.cache/pipenv' },
};

export const pythonToolchain: Toolchain = {
  languages: ['python'],
  plan({ found, directory, install }) {
    const version = versionTag(found.languageVersion, '3.13');
    const { base, cache } = managers[found.packageManager ?? 'pip'] ?? managers['pip']!;
    // Debian 13 has no wkhtmltopdf.
    const suite = found.systemPackages.includes('wkhtmltopdf') && atLeast(version, '3.8') ? '-bookworm' : '';
    const slim = `python:${version}-slim${suite}`;
    // Packages without a wheel are compiled; the full image has the compilers and headers.
    const image = install === null ? slim : `python:${version}${suite}`;
    // An exact version is an image of its time.
    const isArchived = !atLeast(version, '3.9') || /^\d+\.\d+\.\d/.test(version);
    const path: BaseStage['environment'] = install === null ? {} : { PATH: `${directory}/.venv/bin:$PATH` };
    // A browser that the build downloads belongs to the app.
    const browsers: BaseStage['environment'] = found.systemPackages.includes('chromium')
      ? { PLAYWRIGHT_BROWSERS_PATH: `${directory}/.playwright` }
      : {};
    const environment = { PYTHONUNBUFFERED: '1', ...path, ...browsers };
    // Conda brings its own Python in the environment.
    if (found.packageManager === 'conda')
      return {
        build: { image: 'continuumio/miniconda3', environment: path },
        run: { image: debianImage, environment },
      };
    return {
      build: { image, isArchived, ...base, environment: { ...base.environment, ...path, ...browsers } },
      run: { image: slim, isArchived, environment },
      caches: { [found.packageManager ?? 'pip']: cache },
    };
  },
};
