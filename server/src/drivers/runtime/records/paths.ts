import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths in the runtime's folder. Names are readable and made unique by a hash: slashes, dots and spaces in them have
 * no meaning. */
export interface RuntimePaths {
  folder: string;
  locks: string;
  ports: string;
  deployment(deploymentId: string): string;
  /** The key of an instance is also its path below `instances`. */
  key(deploymentId: string, service: string, replica?: number): string;
  instance(key: string): string;
  /** Keys of all instances, or of one deployment. */
  keys(deploymentId?: string): string[];
  lock(deploymentId: string): string;
}

export function runtimePaths(folder: string, instanceId: string): RuntimePaths {
  const instances = join(folder, 'instances');
  const hash = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
  const deploymentName = (id: string) => `${readable(id)}-${hash(instanceId, id)}`;
  const namesIn = (path: string) => (existsSync(path) ? readdirSync(path) : []);
  return {
    folder,
    locks: join(folder, 'locks'),
    ports: join(folder, 'ports.json'),
    deployment: (id) => join(instances, deploymentName(id)),
    key: (id, service, replica = 1) =>
      `${deploymentName(id)}/${readable(service)}-${hash(service)}${replica > 1 ? `-${replica}` : ''}`,
    instance: (key) => join(instances, key),
    keys(id) {
      const deployments = id === undefined ? namesIn(instances) : [deploymentName(id)];
      return deployments.flatMap((name) => namesIn(join(instances, name)).map((service) => `${name}/${service}`));
    },
    // Lock files are never removed (another process may be about to take one), so their number is bounded.
    lock: (id) => join(folder, 'locks', `${hash(instanceId, id).slice(0, 3)}.lock`),
  };
}

const readable = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_]+/g, '-').slice(0, 40);
