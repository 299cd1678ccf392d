import { posix } from 'node:path';
import { childRecord, type Json } from '../records.ts';
import { readYaml } from '../yaml.ts';
import {
  commandText,
  commandTexts,
  folderPath,
  healthPath,
  type PlatformSettings,
  type ReadPlatformFile,
  recordList,
  scalarText,
  unreadSettings,
} from './settings.ts';

const read = [
  'type name env runtime rootDir buildCommand startCommand preDeployCommand envVars',
  'staticPublishPath healthCheckPath dockerfilePath dockerCommand disk routes dockerContext',
].flatMap((line) => line.split(' '));
/** Where the platform keeps the source. */
const sourceFolder = /^\/opt\/render\/project\/src\/?/;

/** The first web service is used. One in another folder belongs to that folder. */
export const render: ReadPlatformFile = async (tree, file) => {
  const blueprint = await readYaml(tree, file);
  const services = recordList(blueprint['services']);
  const isSite = (service: Json) => service['type'] === 'static' || runtime(service) === 'static';
  const webs = services.filter((service) => service['type'] === 'web' || isSite(service));
  const web = webs.find((service) => !isSite(service)) ?? webs[0];
  const others = services.filter((service) => service !== web).map(nameOf);
  const databases = recordList(blueprint['databases']).map((each) => `the database ${nameOf(each) ?? ''}`.trim());
  const rest = [...others, ...databases].filter((name) => name !== undefined);
  const notes = rest.length ? [`only ${(web && nameOf(web)) ?? 'the app'} is deployed, not ${rest.join(', ')}`] : [];
  if (!web) return { notes };
  const folder = folderPath(web['rootDir']);
  const disk = childRecord(web, 'disk');
  const mount = scalarText(disk['mountPath']);
  return {
    ...(folder && { rootDirectory: folder }),
    build: commandTexts(web['buildCommand']),
    start: commandText(web['startCommand']) ?? commandText(web['dockerCommand']),
    release: commandText(web['preDeployCommand']),
    healthPath: healthPath(web['healthCheckPath']),
    outputDirectory: isSite(web) ? publishedFolder(web, folder) : null,
    fallback: recordList(web['routes']).some(isFallback) ? 'index.html' : null,
    dockerfile: runtime(web) === 'docker' ? (folderPath(web['dockerfilePath']) ?? null) : null,
    variables: variablesOf(web),
    generated: recordList(web['envVars']).flatMap((each) =>
      each['generateValue'] === true ? (scalarText(each['key']) ?? []) : [],
    ),
    volumes: mount
      ? [{ name: scalarText(disk['name']) ?? 'data', path: mount.replace(sourceFolder, '') || mount }]
      : [],
    ignored: [
      ...unreadSettings(blueprint, ['services', 'databases']),
      ...unreadSettings(web, read),
      ...recordList(web['routes'])
        .filter((route) => !isFallback(route))
        .map((route) => `the ${scalarText(route['type']) ?? 'route'} of ${scalarText(route['source']) ?? '?'}`),
    ],
    notes,
  } satisfies Omit<PlatformSettings, 'file'>;
};

const runtime = (service: Json) => scalarText(service['runtime']) ?? scalarText(service['env']);

const nameOf = (service: Json) => {
  const name = scalarText(service['name']);
  return name && /^[\w. -]{1,60}$/.test(name) ? name : undefined;
};

/** The path is relative to the folder of the service, or to the source. */
const publishedFolder = (service: Json, folder = '') => {
  const path = folderPath(service['staticPublishPath']) ?? null;
  return path !== null && folder && path.startsWith(`${folder}/`) ? posix.relative(folder, path) : path;
};

const isFallback = (route: Json) =>
  route['type'] === 'rewrite' && route['source'] === '/*' && route['destination'] === '/index.html';

/** Values of other services and generated ones are null. */
const variablesOf = (service: Json): Map<string, string | null> =>
  new Map(
    recordList(service['envVars']).flatMap((each) => {
      const key = scalarText(each['key']);
      return key ? [[key, scalarText(each['value'])] as const] : [];
    }),
  );
