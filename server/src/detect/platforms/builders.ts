import type { SourceTree } from '../detect.ts';
import { readJson } from '../json.ts';
import { child, isRecord, textList, textOrNull, type Json } from '../records.ts';
import { readToml } from '../toml.ts';
import { aptPackages, nixPackages } from './packages.ts';
import {
  command,
  commands,
  folderPath,
  healthPath,
  type PlatformSettings,
  type Read,
  unread,
  variablesIn,
} from './settings.ts';

type Settings = Omit<PlatformSettings, 'file'>;

const jsonOrToml = async (tree: SourceTree, file: string): Promise<Json> =>
  file.endsWith('.json') ? readJson(tree, file) : ((await readToml(tree, file)) ?? {});

export const nixpacks: Read = async (tree, file) => nixpacksPlan(await jsonOrToml(tree, file));

function nixpacksPlan(plan: Json): Settings {
  const phases = child(plan, 'phases');
  const setup = child(phases, 'setup');
  const phase = (name: string) => ({ list: commands(child(phases, name)['cmds'] ?? child(phases, name)['commands']) });
  const nix = nixPackages(textList(setup['nixPkgs']));
  const apt = aptPackages(textList(setup['aptPkgs']));
  const { known, foreign } = byLanguage(nix.languages);
  const of = (name: string, read: string[]) => unread(child(phases, name), read, `phases.${name}.`);
  // A common mistake that the builder accepts as an empty phase.
  const misplaced = child(phases, 'start');
  return {
    install: phase('install').list,
    build: phase('build').list,
    start: command(child(plan, 'start')['cmd'] ?? misplaced['cmd'] ?? textList(misplaced['cmds'])[0]),
    packages: [...nix.debian, ...apt.debian],
    versions: known,
    foreign,
    variables: variablesIn(child(plan, 'variables')),
    ignored: [
      ...unread(plan, ['phases', 'start', 'variables', 'providers']),
      ...unread(child(plan, 'start'), ['cmd'], 'start.'),
      ...unread(phases, ['setup', 'install', 'build', 'start'], 'phases.'),
      ...of('setup', ['nixPkgs', 'aptPkgs']),
      ...of('install', ['cmds', 'commands', 'dependsOn', 'cacheDirectories']),
      ...of('build', ['cmds', 'commands', 'dependsOn', 'cacheDirectories']),
      ...nix.unknown.map((name) => `the Nix package ${name}`),
      ...apt.unknown.map((name) => `the package ${name}`),
    ],
  };
}

type Language = { language: string; version: string | null; debian: string | null };

const byLanguage = (languages: Language[]) => ({
  known: Object.fromEntries(
    languages.filter(({ version }) => version !== null).map(({ language, version }) => [language, version!]),
  ),
  foreign: languages.flatMap(({ language, debian }) => (debian ? [{ language, package: debian }] : [])),
});

export const railpack: Read = async (tree, file) => {
  const plan = await readJson(tree, file);
  const [steps, deploy] = [child(plan, 'steps'), child(plan, 'deploy')];
  const list = (name: string) => {
    const said: unknown = child(steps, name)['commands'];
    return commands(Array.isArray(said) ? said.map((each: unknown) => (isRecord(each) ? each['cmd'] : each)) : said);
  };
  const apt = aptPackages([...textList(plan['buildAptPackages']), ...textList(deploy['aptPackages'])]);
  const tools = Object.entries(child(plan, 'packages')).map(([name, version]) => ({
    language: languageOfTool[name] ?? name,
    version: textOrNull(version),
  }));
  return {
    install: list('install'),
    build: list('build'),
    start: command(deploy['startCommand']),
    packages: apt.debian,
    versions: Object.fromEntries(tools.flatMap(({ language, version }) => (version ? [[language, version]] : []))),
    variables: variablesIn(child(deploy, 'variables')),
    ignored: [
      ...unread(plan, ['provider', 'buildAptPackages', 'packages', 'steps', 'deploy', 'caches']),
      ...unread(steps, ['install', 'build'], 'steps.'),
      ...unread(deploy, ['startCommand', 'aptPackages', 'variables'], 'deploy.'),
      ...apt.unknown.map((name) => `the package ${name}`),
    ],
  };
};

const languageOfTool: Record<string, string> = { node: 'javascript', java: 'java', golang: 'go', dotnet: 'csharp' };

export const railway: Read = async (tree, file) => {
  const settings = await jsonOrToml(tree, file);
  const [build, deploy] = [child(settings, 'build'), child(settings, 'deploy')];
  const plan = nixpacksPlan(child(build, 'nixpacksPlan'));
  const own = commands(build['buildCommand']);
  const release = commands(deploy['preDeployCommand']);
  const mount = textOrNull(deploy['requiredMountPath']);
  return {
    ...plan,
    build: own.length ? own : (plan.build ?? []),
    start: command(deploy['startCommand']) ?? plan.start ?? null,
    release: release.length ? release.join(' && ') : null,
    healthPath: healthPath(deploy['healthcheckPath']),
    dockerfile: folderPath(build['dockerfilePath']) ?? null,
    volumes: mount ? [{ name: 'data', path: mount }] : [],
    ignored: [
      ...(plan.ignored ?? []),
      ...unread(settings, ['build', 'deploy']),
      ...unread(build, ['builder', 'buildCommand', 'nixpacksPlan', 'dockerfilePath', 'watchPatterns'], 'build.'),
      ...unread(deploy, ['startCommand', 'preDeployCommand', 'healthcheckPath', 'requiredMountPath'], 'deploy.').filter(
        (name) => !/restartPolicy|healthcheckTimeout/.test(name),
      ),
    ],
  };
};
