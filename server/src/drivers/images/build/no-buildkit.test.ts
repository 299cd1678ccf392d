import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { EngineClient, engineAt } from '../../runtime/docker/engine/client.ts';
import { BuildRefusedError } from '../errors.ts';
import { imagesRig, newDeployment, testImageOwner } from '../images-rig.ts';

/** Responds like an engine without BuildKit: no sessions, no builds by id. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url!.replace(/^\/v1\.\d+/, '');
  if (path === '/_ping') return void response.setHeader('api-version', '1.41').end('OK');
  if (path === '/version') return void response.end(JSON.stringify({ Os: 'linux', Arch: 'amd64' }));
  if (path.startsWith('/system/df')) return void response.end(JSON.stringify({ BuildCache: null }));
  if (path.startsWith('/containers/json')) return void response.end('[]');
  response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ message: 'page not found' }));
}

async function engineWithoutBuildKit(): Promise<EngineClient> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const client = new EngineClient(engineAt(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`));
  onTestFinished(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return client;
}

it('explains what is missing and what to do on an engine without BuildKit', async () => {
  const { build } = imagesRig(await engineWithoutBuildKit());
  const refused = build('FROM busybox');
  await expect(refused).rejects.toThrow(BuildRefusedError);
  await expect(refused).rejects.toThrow(
    /has no BuildKit.*POST \/session answered 404: page not found.*Install Docker Engine 20\.10 or later/,
  );
});

it('has no builds to cancel and no cached steps to prune on an engine without BuildKit', async () => {
  const { images } = imagesRig(await engineWithoutBuildKit());
  await images.endBuild(testImageOwner(newDeployment()));
  expect(await images.prune(0)).toEqual({ freedBytes: 0, keptBytes: 0 });
});
