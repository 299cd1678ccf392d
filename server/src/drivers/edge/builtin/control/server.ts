import { StaleFenceError } from '../../../stale-fence.ts';
import { renameSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { InvalidProjectError } from '../check-project.ts';
import { calls, type Control } from './calls.ts';
import { describeError, type EdgeLog } from '../log.ts';
import { type EdgeCallError, deadlineHeader, instanceHeader } from '../protocol.ts';
import { HandedOverError, RouteTakenError } from '../routes.ts';
import { NoTlsError } from '../tls/tls-listener.ts';

class TooLateError extends Error {
  override name = 'TooLateError';
}

const mostBodyBytes = 16_000_000;

/** Listens on the socket. The rename replaces the previous owner's socket atomically. */
export async function startControl(socketPath: string, control: Control, log: EdgeLog): Promise<Server> {
  const server = createServer((request, response) => {
    answer(control, request, response).catch((error: unknown) => {
      const [status, code] = statusOf(error);
      if (code === 'failed') log(`control ${request.method} ${request.url}: ${describeError(error)}`);
      if (!response.headersSent)
        reply(response, status, { error: (error as Error).message, code } satisfies EdgeCallError);
    });
  });
  // Node removes the path that it bound on close. Binding to a draft path keeps it from removing the successor's
  // socket.
  const draft = join(dirname(socketPath), 'edge.new');
  rmSync(draft, { force: true });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(draft, resolve));
  renameSync(draft, socketPath);
  return server;
}

async function answer(control: Control, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://edge');
  const call = `${request.method} ${pathname}`;
  if (call === 'GET /hello') return reply(response, 200, control.hello());
  if (request.headers[instanceHeader] !== control.hello().instanceId)
    throw new InvalidProjectError('this edge belongs to another instance');
  const body = (await readBody(request)) as Record<string, unknown>;
  if (Date.now() > Number(request.headers[deadlineHeader] ?? Infinity))
    throw new TooLateError('the caller no longer waits for this');
  // Stays open: the caller notices our exit when the connection closes.
  if (call === 'GET /watch') return response.writeHead(200).flushHeaders();
  if (call === 'POST /stop') {
    response.writeHead(200).flushHeaders();
    return control.stop();
  }
  const run = Object.hasOwn(calls, call) ? calls[call] : undefined;
  if (!run) throw new InvalidProjectError(`unknown call ${call}`);
  return reply(response, 200, await run(control, body, searchParams));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
    if ((size += (chunk as Buffer).length) > mostBodyBytes) throw new InvalidProjectError('too large');
  }
  return size ? JSON.parse(Buffer.concat(chunks).toString()) : {};
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function statusOf(error: unknown): [number, EdgeCallError['code']] {
  if (error instanceof StaleFenceError) return [409, 'stale_fence'];
  if (error instanceof RouteTakenError) return [409, 'taken'];
  if (error instanceof HandedOverError) return [503, 'handed_over'];
  if (error instanceof NoTlsError) return [409, 'no_tls'];
  if (error instanceof TooLateError) return [503, 'too_late'];
  if (error instanceof InvalidProjectError || error instanceof SyntaxError) return [400, 'invalid'];
  return [500, 'failed'];
}
