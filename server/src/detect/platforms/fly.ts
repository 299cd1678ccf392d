import { child, isRecord, textList, type Json } from '../records.ts';
import { readToml } from '../toml.ts';
import { notStarted } from './heroku.ts';
import {
  command,
  folderPath,
  healthPath,
  portNumber,
  type Read,
  records,
  scalar,
  unread,
  variablesIn,
} from './settings.ts';

const read = ['app', 'build', 'deploy', 'env', 'http_service', 'services', 'processes', 'mounts', 'mount', 'checks'];

export const fly: Read = async (tree, file) => {
  const settings = (await readToml(tree, file)) ?? {};
  const http = child(settings, 'http_service');
  const services = [http, ...records(settings['services'])];
  const [build, deploy, processes] = ['build', 'deploy', 'processes'].map((name) => child(settings, name)) as [
    Json,
    Json,
    Json,
  ];
  const open = services.flatMap((service) => textList(service['processes']))[0];
  const web = [open, 'app', 'web', Object.keys(processes).length === 1 ? Object.keys(processes)[0] : undefined].find(
    (name) => name !== undefined && Object.hasOwn(processes, name),
  );
  const checks = [
    ...services.flatMap((service) => [...records(service['checks']), ...records(service['http_checks'])]),
    ...Object.values(child(settings, 'checks')).filter(isRecord),
  ];
  const mounts = [settings['mounts'] ?? settings['mount']].flatMap((said) => (isRecord(said) ? [said] : records(said)));
  return {
    start: web === undefined ? null : command(processes[web]),
    release: command(deploy['release_command']),
    dockerfile: folderPath(build['dockerfile']) ?? null,
    port: services.map((service) => portNumber(service['internal_port'])).find((port) => port !== null) ?? null,
    healthPath: checks.map((check) => healthPath(check['path'])).find((path) => path !== null) ?? null,
    variables: new Map([...variablesIn(child(build, 'args')), ...variablesIn(child(settings, 'env'))]),
    volumes: mounts.flatMap((mount) => {
      const [name, path] = [scalar(mount['source']), scalar(mount['destination'])];
      return name && path ? [{ name, path }] : [];
    }),
    ignored: [
      ...unread(settings, read),
      ...unread(build, ['dockerfile', 'args', 'builder', 'buildpacks'], 'build.'),
      ...unread(deploy, ['release_command'], 'deploy.'),
    ],
    notes: notStarted(Object.keys(processes).map((name) => (name === web ? 'web' : name))),
  };
};
