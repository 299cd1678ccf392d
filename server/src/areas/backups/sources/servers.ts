import type { DataService, ProjectData } from '../../deployments/port.ts';
import { databasesInVariables, engineOfImage, loginOf } from './databases/detect.ts';
import type { DatabaseServer } from './databases/engine.ts';
import { BackupError, type DatabaseEngineName } from './source.ts';
import { containerTools, machineTools } from './tools.ts';
import type { ContainerRef } from '../../../drivers/runtime/container-data.ts';

/** A database server that a service is, or that an app uses on this machine. */
export interface FoundServer {
  service: DataService;
  engine: DatabaseEngineName;
  /** Why it was found: `the service db runs postgres:16`. */
  reason: string;
  /** The database that its variables name. */
  database: string | null;
  /** Runs as a container of the project. */
  isContainer: boolean;
  /** Undefined if the service does not run. */
  open(signal: AbortSignal, container?: ContainerRef): Promise<DatabaseServer>;
}

/** Finds the database servers of an environment. */
export function databaseServersOf(data: ProjectData): FoundServer[] {
  return data.services.flatMap((service) =>
    service.image === null ? onMachine(data, service) : (inContainer(data, service, service.image) ?? []),
  );
}

function inContainer(data: ProjectData, service: DataService, image: string): FoundServer | undefined {
  const engine = engineOfImage(image);
  if (!engine) return undefined;
  const containers = data.parts.containers!.services.data;
  const own = { deploymentId: service.deploymentId, service: service.name };
  return {
    service,
    engine,
    reason: `the service ${service.name} runs ${image}`,
    database: loginOf(engine, service.environment, []).database,
    isContainer: true,
    async open(signal, container = own) {
      const facts = await containers.inspect(container);
      if (!facts?.isRunning)
        throw new BackupError('not_running', `The service ${service.name} does not run`, 'Start it, then try again.');
      const tools = containerTools(containers, container, { place: `the service ${service.name}`, signal });
      const { env, files } = loginOf(engine, facts.environment, facts.command);
      const login = { ...env };
      for (const [name, path] of Object.entries(files)) {
        const text = await tools.run({ args: ['cat', '--', path] });
        login[name] = text.replace(/\n$/, '');
      }
      return { tools, login };
    },
  };
}

/** Only on this machine: a server runs containers only. */
function onMachine({ parts, resting }: ProjectData, service: DataService): FoundServer[] {
  if (parts.server !== null) return [];
  return databasesInVariables(service.environment).map(({ variable, engine, database, env }) => ({
    service,
    engine,
    reason: `the variable ${variable} of ${service.name} names a database on this machine`,
    database,
    isContainer: false,
    async open(signal) {
      const user = await parts.userOf(resting.row.projectId);
      // A server may trust whoever connects to its socket as a certain user, and that would be ours.
      if (!user && (env['PGHOST'] ?? env['HOST'] ?? '').startsWith('/'))
        throw new BackupError(
          'socket_refused',
          `${variable} names a socket, and Mooring runs the programs of the database as its own user`,
          'Name 127.0.0.1 and a password in the variable instead.',
        );
      return { tools: machineTools({ user, signal }), login: env };
    },
  }));
}
