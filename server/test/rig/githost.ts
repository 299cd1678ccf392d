import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, request as ask, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createEmulator } from 'emulate';
import { type Asked as Call, Gaps } from './githost-gaps.ts';
import { newAppKey, seedOf } from './githost-seed.ts';
import { freePort } from './ports.ts';
import { type GitServer, startGitServer } from './git-server.ts';

/** Our own GitHub, like an Enterprise server: pages, API and repositories under one address. */
export interface GitHostRig {
  webUrl: string;
  apiUrl: string;
  appKey: string;
  /** Features that the emulator lacks, and faults for tests. */
  gaps: Gaps;
  git: GitServer;
  /** Every API call: `GET /user 200`. */
  log: string[];
  stop(): Promise<void>;
}

/** The emulator behind our own server, which adds the missing features. */
export async function startGitHost({ redirectUris = ['http://127.0.0.1/back'] } = {}): Promise<GitHostRig> {
  const [appKey, port] = [newAppKey(), await freePort()];
  const log: string[] = [];
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => response.writeHead(500).end(error.stack));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const apiUrl = `${webUrl}/api/v3`;
  const emulator = await createEmulator({
    service: 'github',
    port,
    baseUrl: apiUrl,
    seed: seedOf(appKey, redirectUris),
  });
  const origin = `http://127.0.0.1:${port}`;
  const forward = async ({ method, path, headers, body }: Call) => {
    const isEmpty = method === 'GET' || method === 'HEAD' || !body.length;
    const answer = await fetch(origin + path, {
      method,
      headers,
      redirect: 'manual',
      ...(!isEmpty && { body: new Uint8Array(body) }),
    });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
  };
  const gaps = new Gaps(webUrl, forward);
  const git = (gaps.git = await startGitServer((repository, password) => gaps.mayClone(repository, password)));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url!.includes('.git/')) return passOn(request, response, git);
    const { authorization, 'content-type': type, 'if-none-match': known, accept } = request.headers;
    const path = request.url!.replace(/^\/api\/v3/, '');
    const headers = {
      ...(authorization && { authorization }),
      ...(type && { 'content-type': type }),
      ...(accept && { accept }),
    };
    const answer = await gaps.answer({ method: request.method!, path, headers, body: await buffer(request) });
    const etag = `"${createHash('sha256').update(answer.text).digest('hex').slice(0, 16)}"`;
    const isKnown = request.method === 'GET' && answer.status === 200 && known === etag;
    const { link, location, 'x-ratelimit-remaining': remaining } = answer.headers;
    log.push(`${request.method} ${path} ${isKnown ? 304 : answer.status}`);
    response.writeHead(isKnown ? 304 : answer.status, {
      'content-type': 'application/json',
      ...(answer.status === 200 && { etag }),
      // The emulator's links contain the address of the request.
      ...(link && { link: link.replaceAll(/<http:\/\/[^/]+\//g, `<${apiUrl}/`) }),
      ...(location && { location }),
      ...(remaining && { 'x-ratelimit-remaining': remaining }),
    });
    response.end(isKnown || answer.status === 204 ? undefined : answer.text);
  }

  return {
    webUrl,
    apiUrl,
    appKey,
    gaps,
    git,
    log,
    async stop() {
      server.closeAllConnections();
      await Promise.all([new Promise((resolve) => server.close(resolve)), emulator.close(), git.stop()]);
    },
  };
}

function passOn(request: IncomingMessage, response: ServerResponse, git: GitServer): void {
  const target = new URL(request.url!, git.url('x'));
  const onward = ask(target, { method: request.method!, headers: request.headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  onward.once('error', () => response.destroy());
  request.pipe(onward);
}
