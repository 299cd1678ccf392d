import type { DockerApp, DockerfilePlan, Toolchain } from '../dockerfile.ts';
import { debianImage } from './debian.ts';

const same = (image: string, packages: string[] = []): DockerfilePlan => ({
  build: { image, packages },
  run: { image, packages },
});

const lua = same(debianImage, ['ca-certificates', 'gcc', 'libc6-dev', 'lua5.4', 'liblua5.4-dev', 'luarocks', 'unzip']);

const plans: Record<string, (app: DockerApp) => DockerfilePlan> = {
  lua: ({ start, directory }) => {
    // Moves the module paths of the command to the environment of the image.
    const [, paths, program] = /^(LUA_PATH=.*) (lua \S+)$/.exec(start ?? '') ?? [];
    const found = [...(paths ?? '').matchAll(/(LUA_C?PATH)='([^']*)'/g)].map(
      ([, name = '', list = '']) => [name, list.replaceAll('lua_modules', `${directory}/lua_modules`)] as const,
    );
    return program ? { ...lua, run: { ...lua.run, environment: Object.fromEntries(found) }, start: program } : lua;
  },
  perl: () => ({ build: { image: 'perl:5.40' }, run: { image: 'perl:5.40-slim' } }),
  // Debian has the common shells; zsh is a package.
  shell: ({ start }) => same(debianImage, ['ca-certificates', 'curl', ...(start?.startsWith('zsh ') ? ['zsh'] : [])]),
};

/** Scripts that run without a build. */
export const scriptsToolchain: Toolchain = {
  languages: Object.keys(plans),
  plan(app) {
    const { language } = app.found;
    return plans[language && Object.hasOwn(plans, language) ? language : 'shell']!(app);
  },
};
