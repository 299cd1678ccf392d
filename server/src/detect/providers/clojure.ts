import type { Provider, SourceTree } from '../detect.ts';
import { javaVersion } from '../jvm/java-version.ts';
import { plainName, plainPath } from '../plain-names.ts';

type Recipe = { manager: string; build: string; start: string | null };

export const clojure: Provider = {
  name: 'clojure',
  looksFor: 'project.clj',
  async detect(tree) {
    const file = (await tree.read('project.clj')) === undefined ? 'deps.edn' : 'project.clj';
    const recipe = file === 'project.clj' ? await leiningen(tree) : await tools(tree);
    if (!recipe) return undefined;
    const { manager, build, start } = recipe;
    const version = await javaVersion(tree);
    return {
      ...version,
      framework: 'clojure',
      language: 'clojure',
      packageManager: manager,
      buildCommand: build,
      startCommand: start,
      port: start ? 3000 : null,
      reasons: [
        ...(version.reasons ?? []),
        `${file}: Clojure, built with \`${build}\`${start ? `, started with \`${start}\`` : ', but build.clj names no archive to start'}`,
      ],
    };
  },
};

async function leiningen(tree: SourceTree): Promise<Recipe> {
  const source = (await tree.read('project.clj')) ?? '';
  const named = plainName(/:uberjar-name\s+"([^"\n]{1,100})"/.exec(source)?.[1]);
  const build = /lein-ring/.test(source) && /:ring\b/.test(source) ? 'lein ring uberjar' : 'lein uberjar';
  const folder = /:target-path\s+"target\/%s\/?"/.test(source) ? 'target/uberjar' : 'target';
  return { manager: 'leiningen', build, start: `java -jar ${folder}/${named ?? '*standalone.jar'}` };
}

async function tools(tree: SourceTree): Promise<Recipe | undefined> {
  if ((await tree.read('deps.edn')) === undefined) return undefined;
  const build = (await tree.read('build.clj')) ?? '';
  if (!build) return { manager: 'clojure', build: 'clojure -P', start: null };
  const named = /"(target\/[\w./%-]{1,100}\.jar)"/.exec(build)?.[1];
  const archive = named && !named.includes('%') ? plainPath(named) : undefined;
  return { manager: 'clojure', build: 'clojure -T:build uber', start: `java -jar ${archive ?? 'target/*.jar'}` };
}
