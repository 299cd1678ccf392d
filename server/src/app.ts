import type { FastifyInstance } from 'fastify';
import { type AccessArea, createAccess } from './areas/access/area.ts';
import type { Config } from './config.ts';
import { type Database, isUnavailable } from './db/database.ts';
import type { Route } from './http/define-route.ts';
import { instanceRoutes } from './http/instance-routes.ts';
import { createServer } from './http/server.ts';
import { EventStreams } from './http/sse.ts';
import { findWebPages } from './http/web-pages.ts';
import type { Log } from './lib/log.ts';
import { version } from './version.ts';

export interface App {
  server: FastifyInstance;
  access: AccessArea;
  routes: Route[];
  streams: EventStreams;
  /** Ends streams and requests within `withinMs`, then the areas. */
  stop(withinMs?: number): Promise<void>;
}

type Options = {
  config: Config;
  database: Database;
  log: Log;
  openApiFile: string;
  webFolder: string;
  extraRoutes?: Route[];
};

/** Puts the areas together and mounts their routes. */
export function createApp({ config, database, log, openApiFile, webFolder, extraRoutes = [] }: Options): App {
  const { db } = database;
  const streams = new EventStreams();
  const access = createAccess(db, config, (message) => log.warn(message));
  const routes = [...instanceRoutes({ version, mode: config.mode, openApiFile }), ...access.routes, ...extraRoutes];
  const server = createServer({
    ...config,
    routes,
    log,
    streams,
    authenticator: access.authenticator,
    pages: findWebPages(webFolder),
    isUnavailable,
  });
  return { server, access, routes, streams, stop };

  async function stop(withinMs = 4000): Promise<void> {
    streams.closeAll();
    const impatience = setTimeout(() => server.server.closeAllConnections(), withinMs);
    await server.close();
    clearTimeout(impatience);
    await access.stop();
  }
}
