import { readJson } from '../json.ts';
import { childRecord, isRecord, textList } from '../records.ts';
import { readYaml } from '../yaml.ts';
import { aptPackages } from './packages.ts';
import {
  commandText,
  folderPath,
  healthPath,
  type ReadPlatformFile,
  recordList,
  scalarText,
  unreadSettings,
  variablesIn,
} from './settings.ts';

/** Keys that describe the app, or that have no effect on how it runs. */
const described = ['name', 'description', 'keywords', 'website', 'repository', 'logo', 'success_url', 'image', 'stack'];
const read = ['env', 'healthchecks', 'buildpacks', 'addons', 'scripts'];

/** Settings of Heroku and Dokku. Expo, React Native and mini programs have a file of the same name. */
export const appJson: ReadPlatformFile = async (tree, file) => {
  const app = await readJson(tree, file);
  const isOther = Object.hasOwn(app, 'expo') || Object.hasOwn(app, 'pages') || Object.hasOwn(app, 'displayName');
  if (isOther || ![...read, 'formation', 'cron'].some((key) => Object.hasOwn(app, key))) return {};
  const environment = Object.entries(childRecord(app, 'env'));
  const generated = environment.flatMap(([key, said]) => (childRecord(said)['generator'] === 'secret' ? [key] : []));
  const variables = new Map(
    environment.map(([key, said]) => [
      key,
      isRecord(said) ? (generated.includes(key) ? null : scalarText(said['value'])) : scalarText(said),
    ]),
  );
  const dokku = childRecord(app, 'scripts', 'dokku');
  const [check] = recordList(childRecord(app, 'healthchecks')['web']).filter((each) => healthPath(each['path']));
  return {
    variables,
    generated,
    release: commandText(dokku['predeploy']),
    healthPath: healthPath(check?.['path']),
    ignored: [
      ...unreadSettings(app, [...described, ...read]),
      ...unreadSettings(childRecord(app, 'scripts'), ['dokku'], 'scripts.'),
      ...unreadSettings(dokku, ['predeploy'], 'scripts.dokku.'),
    ],
    notes: addonNotes(app['addons']),
  };
};

/** Databases that an app expects. */
const addonNotes = (addons: unknown): string[] => {
  const names = (Array.isArray(addons) ? addons : []).map((each: unknown) =>
    scalarText(isRecord(each) ? each['plan'] : each),
  );
  const plain = names.filter((name) => name !== null && /^[\w:-]{1,60}$/.test(name));
  return plain.length ? [`the add-ons ${plain.join(', ')} are not created; add a database and set its variables`] : [];
};

export const herokuYml: ReadPlatformFile = async (tree, file) => {
  const settings = await readYaml(tree, file);
  const [build, run] = [childRecord(settings, 'build'), childRecord(settings, 'run')];
  const [release, docker] = [childRecord(settings, 'release'), childRecord(build, 'docker')];
  const line = (said: unknown) => {
    const list = isRecord(said) ? said['command'] : said;
    return Array.isArray(list) ? list.map(commandText).filter(Boolean).join(' && ') || null : commandText(list);
  };
  return {
    start: line(run['web']),
    other: line(run['worker']),
    release: line(release),
    dockerfile: folderPath(docker['web']) ?? null,
    variables: new Map([
      ...variablesIn(childRecord(build, 'config')),
      ...variablesIn(childRecord(settings, 'setup', 'config')),
    ]),
    ignored: [
      ...unreadSettings(settings, ['build', 'run', 'release', 'setup']),
      ...unreadSettings(build, ['docker', 'config', 'languages'], 'build.'),
    ],
    notes: [
      ...notStarted([...new Set([...Object.keys(run), ...Object.keys(docker)])].filter((name) => name !== 'release')),
      ...addonNotes(childRecord(settings, 'setup')['addons']),
    ],
  };
};

export const procfile: ReadPlatformFile = async (tree, file) => {
  const processes = parseProcfile((await tree.read(file)) ?? '');
  const others = [...processes.keys()].filter((name) => name !== 'release');
  return {
    start: processes.get('web') ?? null,
    release: processes.get('release') ?? null,
    other: processes.get('worker') ?? processes.get(others[0] ?? '') ?? null,
    notes: notStarted(others),
  };
};

/** A project runs one process. */
export const notStarted = (names: readonly string[]): string[] => {
  const others = names.filter((name) => /^[\w-]{1,40}$/.test(name) && name !== 'web');
  if (!others.length || !names.includes('web')) return [];
  const which = others.length === 1 ? `the process ${others[0]} is` : `the processes ${others.join(', ')} are`;
  return [`${which} not started; deploy each as a project of its own, with its start command`];
};

function parseProcfile(source: string): Map<string, string> {
  const lines = source.slice(0, 20_000).split(/\r?\n/);
  const entries = lines.map((each) => /^([\w-]{1,40})\s{0,20}:\s{0,20}(\S.{0,999})$/.exec(each.trim()));
  return new Map(entries.filter((entry) => entry !== null).map(([, name, text]) => [name!, text!.trim()]));
}

/** Packages of Heroku's buildpack for apt. */
export const aptfile: ReadPlatformFile = async (tree, file) => {
  const lines = ((await tree.read(file)) ?? '').slice(0, 20_000).split(/\r?\n/);
  const { debian, unknown } = aptPackages(lines.map((line) => line.replace(/#.*$/, '')));
  return { packages: debian, ignored: unknown };
};

export const buildpacks: ReadPlatformFile = async (tree, file) => {
  const lines = ((await tree.read(file)) ?? '').slice(0, 20_000).split(/\r?\n/);
  return { ignored: textList(lines.map((line) => line.trim().replace(/^https?:\/\//, ''))).slice(0, 20) };
};
