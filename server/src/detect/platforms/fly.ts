import { childRecord, isRecord, textList, type Json } from '../records.ts';
import { readToml } from '../toml.ts';
import { notStarted } from './heroku.ts';
import {
  commandText,
  folderPath,
  healthPath,
  portNumber,
  type ReadPlatformFile,
  recordList,
  scalarText,
  unreadSettings,
  variablesIn,
} from './settings.ts';

const read = ['app', 'build', 'deploy', 'env', 'http_service', 'services', 'processes', 'mounts', 'mount', 'checks'];

export const fly: ReadPlatformFile = async (tree, file) => {
  const settings = (await readToml(tree, file)) ?? {};
  const http = childRecord(settings, 'http_service');
  const services = [http, ...recordList(settings['services'])];
  const [build, deploy, processes] = ['build', 'deploy', 'processes'].map((name) => childRecord(settings, name)) as [
    Json,
    Json,
    Json,
  ];
  const open = services.flatMap((service) => textList(service['processes']))[0];
  const web = [open, 'app', 'web', Object.keys(processes).length === 1 ? Object.keys(processes)[0] : undefined].find(
    (name) => name !== undefined && Object.hasOwn(processes, name),
  );
  const checks = [
    ...services.flatMap((service) => [...recordList(service['checks']), ...recordList(service['http_checks'])]),
    ...Object.values(childRecord(settings, 'checks')).filter(isRecord),
  ];
  const mounts = [settings['mounts'] ?? settings['mount']].flatMap((said) =>
    isRecord(said) ? [said] : recordList(said),
  );
  return {
    start: web === undefined ? null : commandText(processes[web]),
    release: commandText(deploy['release_command']),
    dockerfile: folderPath(build['dockerfile']) ?? null,
    port: services.map((service) => portNumber(service['internal_port'])).find((port) => port !== null) ?? null,
    healthPath: checks.map((check) => healthPath(check['path'])).find((path) => path !== null) ?? null,
    variables: new Map([...variablesIn(childRecord(build, 'args')), ...variablesIn(childRecord(settings, 'env'))]),
    volumes: mounts.flatMap((mount) => {
      const [name, path] = [scalarText(mount['source']), scalarText(mount['destination'])];
      return name && path ? [{ name, path }] : [];
    }),
    ignored: [
      ...unreadSettings(settings, read),
      ...unreadSettings(build, ['dockerfile', 'args', 'builder', 'buildpacks'], 'build.'),
      ...unreadSettings(deploy, ['release_command'], 'deploy.'),
    ],
    notes: notStarted(Object.keys(processes).map((name) => (name === web ? 'web' : name))),
  };
};
