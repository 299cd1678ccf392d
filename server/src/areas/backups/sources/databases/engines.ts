import type { DatabaseEngineName as EngineName } from '../source.ts';
import type { DatabaseEngine } from './engine.ts';
import { mongodb } from './mongodb.ts';
import { mysqlEngine } from './mysql.ts';
import { postgres } from './postgres.ts';

/** Engines whose databases are dumped one by one. */
export const engines: Partial<Record<EngineName, DatabaseEngine>> = {
  postgres,
  mysql: mysqlEngine('mysql'),
  mariadb: mysqlEngine('mariadb'),
  mongodb,
};

const systemDatabases: Partial<Record<EngineName, RegExp>> = {
  postgres: /^(postgres|template[01])$/,
  mysql: /^(mysql|sys|information_schema|performance_schema)$/i,
  mariadb: /^(mysql|sys|information_schema|performance_schema)$/i,
  mongodb: /^(admin|config|local)$/,
};

/** Databases that a server has by itself, or that an interrupted restore left behind. */
export const isSystemDatabase = (engine: EngineName, name: string): boolean =>
  systemDatabases[engine]?.test(name) === true || name.startsWith(temporaryPrefix);

export const temporaryPrefix = 'mooring_restore_';
