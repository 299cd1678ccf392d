import type { Provider } from '../detect.ts';
import { findFiles } from '../find-files.ts';
import { plainName, plainPath } from '../plain-names.ts';

export const ocaml: Provider = {
  name: 'ocaml',
  looksFor: 'dune-project',
  async detect(tree) {
    const names = await tree.list('');
    if (!names.includes('dune-project')) return undefined;
    const start = await findProgram(tree);
    const isDream = /\bdream\b/.test(
      `${(await tree.read('dune-project')) ?? ''}\n${(await tree.read('bin/dune')) ?? ''}`,
    );
    const build = 'opam exec -- dune build --release';
    return {
      framework: isDream ? 'dream' : 'ocaml',
      language: 'ocaml',
      packageManager: 'opam',
      installCommand: 'opam install . --deps-only --yes',
      installFiles: names.some((name) => name.endsWith('.opam'))
        ? ['dune-project', ...names.filter((name) => name.endsWith('.opam'))]
        : [],
      buildCommand: build,
      startCommand: start ?? null,
      port: start ? 8080 : null,
      reasons: [
        `dune-project: ${isDream ? 'Dream' : 'OCaml'}, built with \`${build}\`, ${start ? `started with \`${start}\`` : 'but no executable in it'}`,
      ],
    };
  },
};

/** Returns the first executable of the dune files. */
async function findProgram(tree: Parameters<typeof findFiles>[0]): Promise<string | undefined> {
  const files = await findFiles(tree, (name) => name === 'dune', { depth: 2 });
  for (const file of [...files, 'bin/dune']) {
    const source = (await tree.read(file)) ?? '';
    const at = source.search(/\(executables?\b/);
    const name = at < 0 ? undefined : plainName(/\(names?\s+([\w-]{1,60})/.exec(source.slice(at, at + 1000))?.[1]);
    const folder = plainPath(file.replace(/\/?dune$/, ''));
    if (name && folder !== undefined) return `./_build/default/${folder ? `${folder}/` : ''}${name}.exe`;
  }
  return undefined;
}
