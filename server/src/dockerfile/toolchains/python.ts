import type { Base, Toolchain } from '../dockerfile.ts';
import { tag } from '../instructions.ts';
import { debian } from './debian.ts';

const managers: Record<string, { base: Omit<Base, 'image'>; cache: string }> = {
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
    const version = tag(found.languageVersion, '3.13');
    const { base, cache } = managers[found.packageManager ?? 'pip'] ?? managers['pip']!;
    // Packages with system libraries are often compiled against them; the full image has the headers.
    const image = found.systemPackages.length ? `python:${version}` : `python:${version}-slim`;
    const path: Base['environment'] = install === null ? {} : { PATH: `${directory}/.venv/bin:$PATH` };
    const environment = { PYTHONUNBUFFERED: '1', ...path };
    // Conda brings its own Python in the environment.
    if (found.packageManager === 'conda')
      return {
        build: { image: 'continuumio/miniconda3', environment: path },
        run: { image: debian, environment },
      };
    return {
      build: { image, ...base, environment: { ...base.environment, ...path } },
      run: { image: `python:${version}-slim`, environment },
      caches: { [found.packageManager ?? 'pip']: cache },
    };
  },
};
