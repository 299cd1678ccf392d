import type { SourceTree } from '../detect.ts';
import { readJson } from '../json.ts';
import { childRecord, isRecord, textList, textOrNull, type Json } from '../records.ts';
import { readToml } from '../toml.ts';
import { aptPackages, nixPackages } from './packages.ts';
import {
  commandText,
  commandTexts,
  folderPath,
  healthPath,
  type PlatformSettings,
  type ReadPlatformFile,
  unreadSettings,
  variablesIn,
} from './settings.ts';

type Settings = Omit<PlatformSettings, 'file'>;

const jsonOrToml = async (tree: SourceTree, file: string): Promise<Json> =>
  file.endsWith('.json') ? readJson(tree, file) : ((await readToml(tree, file)) ?? {});

export const nixpacks: ReadPlatformFile = async (tree, file) => nixpacksPlan(await jsonOrToml(tree, file));

function nixpacksPlan(plan: Json): Settings {
  const phases = childRecord(plan, 'phases');
  const setup = childRecord(phases, 'setup');
  const phase = (name: string) => ({
    list: commandTexts(childRecord(phases, name)['cmds'] ?? childRecord(phases, name)['commands']),
  });
  const nix = nixPackages(textList(setup['nixPkgs']));
  const apt = aptPackages(textList(setup['aptPkgs']));
  const { known, foreign } = byLanguage(nix.languages);
  const of = (name: string, read: string[]) => unreadSettings(childRecord(phases, name), read, `phases.${name}.`);
  // A common mistake that the builder accepts as an empty phase.
  const misplaced = childRecord(phases, 'start');
  return {
    install: phase('install').list,
    build: phase('build').list,
    start: commandText(childRecord(plan, 'start')['cmd'] ?? misplaced['cmd'] ?? textList(misplaced['cmds'])[0]),
    packages: [...nix.debian, ...apt.debian],
    versions: known,
    foreign,
    variables: variablesIn(childRecord(plan, 'variables')),
    ignored: [
      ...unreadSettings(plan, ['phases', 'start', 'variables', 'providers']),
      ...unreadSettings(childRecord(plan, 'start'), ['cmd'], 'start.'),
      ...unreadSettings(phases, ['setup', 'install', 'build', 'start'], 'phases.'),
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

export const railpack: ReadPlatformFile = async (tree, file) => {
  const plan = await readJson(tree, file);
  const [steps, deploy] = [childRecord(plan, 'steps'), childRecord(plan, 'deploy')];
  const list = (name: string) => {
    const said: unknown = childRecord(steps, name)['commands'];
    return commandTexts(
      Array.isArray(said) ? said.map((each: unknown) => (isRecord(each) ? each['cmd'] : each)) : said,
    );
  };
  const apt = aptPackages([...textList(plan['buildAptPackages']), ...textList(deploy['aptPackages'])]);
  const tools = Object.entries(childRecord(plan, 'packages')).map(([name, version]) => ({
    language: languageOfTool[name] ?? name,
    version: textOrNull(version),
  }));
  return {
    install: list('install'),
    build: list('build'),
    start: commandText(deploy['startCommand']),
    packages: apt.debian,
    versions: Object.fromEntries(tools.flatMap(({ language, version }) => (version ? [[language, version]] : []))),
    variables: variablesIn(childRecord(deploy, 'variables')),
    ignored: [
      ...unreadSettings(plan, ['provider', 'buildAptPackages', 'packages', 'steps', 'deploy', 'caches']),
      ...unreadSettings(steps, ['install', 'build'], 'steps.'),
      ...unreadSettings(deploy, ['startCommand', 'aptPackages', 'variables'], 'deploy.'),
      ...apt.unknown.map((name) => `the package ${name}`),
    ],
  };
};

const languageOfTool: Record<string, string> = { node: 'javascript', java: 'java', golang: 'go', dotnet: 'csharp' };

export const railway: ReadPlatformFile = async (tree, file) => {
  const settings = await jsonOrToml(tree, file);
  const [build, deploy] = [childRecord(settings, 'build'), childRecord(settings, 'deploy')];
  const plan = nixpacksPlan(childRecord(build, 'nixpacksPlan'));
  const own = commandTexts(build['buildCommand']);
  const release = commandTexts(deploy['preDeployCommand']);
  const mount = textOrNull(deploy['requiredMountPath']);
  return {
    ...plan,
    build: own.length ? own : (plan.build ?? []),
    start: commandText(deploy['startCommand']) ?? plan.start ?? null,
    release: release.length ? release.join(' && ') : null,
    healthPath: healthPath(deploy['healthcheckPath']),
    dockerfile: folderPath(build['dockerfilePath']) ?? null,
    volumes: mount ? [{ name: 'data', path: mount }] : [],
    ignored: [
      ...(plan.ignored ?? []),
      ...unreadSettings(settings, ['build', 'deploy']),
      ...unreadSettings(
        build,
        ['builder', 'buildCommand', 'nixpacksPlan', 'dockerfilePath', 'watchPatterns'],
        'build.',
      ),
      ...unreadSettings(
        deploy,
        ['startCommand', 'preDeployCommand', 'healthcheckPath', 'requiredMountPath'],
        'deploy.',
      ).filter((name) => !/restartPolicy|healthcheckTimeout/.test(name)),
    ],
  };
};
