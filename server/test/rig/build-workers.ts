import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { exited, newFolder } from './children.ts';
import { folderOf } from './deploy.ts';
import { type Docker, startDocker } from './docker.ts';
import { makeImage, node } from './docker-images.ts';
import { onEngine } from './docker-service.ts';
import { beginMaintenance } from './maintenance.ts';
import { newDatabase } from './postgres.ts';
import { type Registry, registryUser, startRegistry } from './registry.ts';
import { type Service, startService } from './service.ts';
import { until } from './until.ts';

/** A running build worker. */
export interface Worker {
  name: string;
  docker: Docker;
  child: ChildProcess;
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** A service on PostgreSQL whose engine has no base images, a registry, and engines for workers. */
export interface WorkersRig {
  service: Service;
  docker: Docker;
  /** Engines of workers; the last one is the service's own. */
  engines: Docker[];
  registry: Registry;
  databaseUrl: string;
  /** Starts a worker on one of the engines. */
  worker(name: string, engine: number, ...flags: string[]): Promise<Worker>;
  close(): Promise<void>;
}

export async function startWorkersRig(count: number, env: Record<string, string> = {}): Promise<WorkersRig> {
  const open: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const each of open.toReversed()) await each();
  };
  const engine = async () => {
    const docker = await startDocker(['--insecure-registry=10.0.0.0/8']);
    open.push(() => docker.close());
    return docker;
  };
  try {
    const docker = await engine();
    const engines: Docker[] = [];
    for (let index = 0; index < count; index++) {
      engines.push(await engine());
      await makeImage(engines[index]!.client, node);
    }
    engines.push(docker);
    const registry = await startRegistry(docker.namespace, 'basic', true);
    open.push(() => registry.stop());
    const databaseUrl = await newDatabase(inject('postgresUrl'));
    const shared = { DATABASE_URL: databaseUrl, MOORING_SECRET_KEY: randomBytes(32).toString('base64') };
    const service = await startService({
      env: {
        ...shared,
        ...onEngine(docker),
        MOORING_REGISTRY: `${registry.address}/apps`,
        MOORING_REGISTRY_USER: registryUser.username,
        MOORING_REGISTRY_PASSWORD: registryUser.password,
        MOORING_START_TIMEOUT: '20',
        ...env,
      },
    });
    open.push(() => service.stop());
    const worker = async (name: string, index: number, ...flags: string[]): Promise<Worker> => {
      const started = await startWorker(name, engines[index]!, shared, flags);
      open.push(() => started.stop('SIGKILL'));
      return started;
    };
    return { service, docker, engines, registry, databaseUrl, worker, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** `shared` are the database and the key of the service. */
export async function startWorker(
  name: string,
  docker: Docker,
  shared: Record<string, string>,
  flags: string[],
): Promise<Worker> {
  const own = { MOORING_DATA_DIR: newFolder('worker'), DOCKER_HOST: docker.address, HOME: newFolder('home') };
  const child = beginMaintenance({ ...shared, ...own }, 'worker', `--name=${name}`, ...flags);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await exited(child);
  };
  await until(`the worker ${name} is ready`, () => output.includes('is ready')).catch(async (error: unknown) => {
    await stop('SIGKILL');
    throw new Error(output, { cause: error });
  });
  return { name, docker, child, output: () => output, stop };
}

/** An app without a base image, for engines that have none. `steps` are lines of its Dockerfile. */
export function bareApp(text: string, ...steps: string[]): string {
  const command = '["/site/busybox", "httpd", "-f", "-p", "3000", "-h", "/site"]';
  const lines = ['FROM scratch', 'COPY busybox index.html /site/', ...steps, 'EXPOSE 3000', `CMD ${command}`];
  const folder = folderOf({ Dockerfile: `${lines.join('\n')}\n`, 'index.html': text });
  copyFileSync('/bin/busybox', join(folder, 'busybox'));
  return folder;
}

export const ownPlatform = `linux/${process.arch === 'x64' ? 'amd64' : 'arm64'}`;
export const otherPlatform = ownPlatform === 'linux/amd64' ? 'linux/arm64' : 'linux/amd64';
