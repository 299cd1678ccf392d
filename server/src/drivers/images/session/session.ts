import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { type GrpcHandler, serveCall, unary } from './grpc.ts';
import { encodeMessage } from './protobuf.ts';

/** Handlers by path, such as `/moby.buildkit.secrets.v1.Secrets/GetSecret`. */
export type GrpcMethods = Record<string, GrpcHandler>;

/** A connection on which the engine requests files, secrets and credentials while a build runs. */
export interface BuildSession {
  id: string;
  close(): void;
}

const serving = 1;
const health: GrpcMethods = { '/grpc.health.v1.Health/Check': unary(() => encodeMessage([[1, serving]])) };

/** Opens a session. Sessions with the same `sharedKey` need not send unchanged files again. */
export async function openSession(
  engine: EngineClient,
  { sharedKey, methods, report }: { sharedKey: string; methods: GrpcMethods; report: (error: unknown) => void },
): Promise<BuildSession> {
  const id = randomUUID();
  const all = { ...health, ...methods };
  const socket = await engine.upgrade({
    method: 'POST',
    path: '/session',
    headers: {
      upgrade: 'h2c',
      'x-docker-expose-session-uuid': id,
      'x-docker-expose-session-name': 'mooring',
      'x-docker-expose-session-sharedkey': sharedKey,
      'x-docker-expose-session-grpc-method': Object.keys(all) as never,
    },
  });
  const connection = performServerHandshake(socket);
  connection.on('error', report);
  connection.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _: number, raw: string[]) => {
    void serveCall(stream, all[String(headers[':path'])], metadataOf(raw), report);
  });
  // Node reads the bytes after the upgrade response in the next tick, and fails if the connection is gone by then.
  await new Promise(setImmediate);
  return {
    id,
    close: () => connection.destroy(),
  };
}

function metadataOf(raw: string[]): Map<string, string[]> {
  const metadata = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [raw[at]!, raw[at + 1]!];
    metadata.set(name, [...(metadata.get(name) ?? []), value]);
  }
  return metadata;
}
