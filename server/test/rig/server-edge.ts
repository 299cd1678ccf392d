import { buildSync } from 'esbuild';
import { appendFileSync, copyFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  type EdgePrograms,
  createServerEdge,
  type ServerEdge,
  type ServerEdgeOptions,
} from '../../src/drivers/edge/on-server/server-edge.ts';
import { EngineClient, type EngineConnect } from '../../src/drivers/runtime/docker/engine/client.ts';
import { newFolder } from './children.ts';

const drivers = join(import.meta.dirname, '../../src/drivers/edge');

/** Bundles the programs for shipping from the current sources. */
export function bundlePrograms(): EdgePrograms {
  const folder = newFolder('bundle');
  const entryPoints = { edge: join(drivers, 'builtin/main.ts'), keeper: join(drivers, 'on-server/keeper/main.ts') };
  const outExtension = { '.js': '.cjs' };
  buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outdir: folder, outExtension });
  return { program: join(folder, 'edge.cjs'), keeper: join(folder, 'keeper.cjs'), execPath: process.execPath };
}

/** The same with another edge program, which the driver treats as a new version. */
export function withNewProgram(bundle: EdgePrograms): EdgePrograms {
  const program = join(newFolder('program'), 'edge.cjs');
  copyFileSync(bundle.program, program);
  appendFileSync(program, `// ${Math.random()}\n`);
  return { ...bundle, program };
}

type Changes = { bundle?: EdgePrograms; port?: number; tlsPort?: number } & Partial<
  Pick<ServerEdgeOptions, 'sweeping' | 'instanceId' | 'engine' | 'published' | 'clients'>
>;

/** Edge drivers on one engine. `reports` is their log. */
export function serverEdges(connectToEngine: EngineConnect, bundle: EdgePrograms) {
  const made: { edge: ServerEdge; engine: EngineClient }[] = [];
  const reports: string[] = [];
  return {
    reports,
    driver({ bundle: other = bundle, port = 0, tlsPort = 0, ...more }: Changes = {}): ServerEdge {
      const engine = new EngineClient(connectToEngine);
      const edge = createServerEdge({
        engine,
        instanceId: 'ins_1',
        settings: { host: '0.0.0.0', port, tlsPort, publicPort: null, publicTlsPort: null },
        bundle: other,
        report: (what, error) => reports.push(error === undefined ? what : `${what}: ${(error as Error).message}`),
        ...more,
      });
      made.push({ edge, engine });
      return edge;
    },
    close() {
      for (const { edge, engine } of made.splice(0)) {
        edge.close();
        engine.close();
      }
    },
  };
}

export interface Way {
  port: number;
  close(): void;
}

/** Forwards a loopback port to a port in another network. */
export async function wayTo(address: string, port: number, from = port): Promise<Way> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, address);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy()).once('close', () => [open.delete(one), other.destroy()]);
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(from, '127.0.0.1', resolve));
  return {
    port: from,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** An app on this side, reachable for an edge in another network. */
export async function appAt(gateway: string, text: string | ((req: IncomingMessage) => string)) {
  const answer = (req: IncomingMessage) => (typeof text === 'string' ? text : text(req));
  const server: Server = createHttpServer((req, res) => void req.resume().on('end', () => res.end(answer(req))));
  await new Promise<void>((resolve) => server.listen(0, gateway, resolve));
  return {
    target: { type: 'upstream' as const, host: gateway, port: (server.address() as AddressInfo).port },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
