import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { EngineClient } from '../../runtime/docker/engine/client.ts';
import type { ImageRegistry } from './image-registry.ts';
import { pushToRegistry } from './push.ts';

let server: Server;
let engine: EngineClient;
afterEach(() => {
  engine.close();
  server.close();
});

/** An engine whose pushes end with these frames, one list for each push. */
async function engineThatSays(...pushes: object[][]): Promise<string[]> {
  const calls: string[] = [];
  server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://engine').pathname.replace(/^\/v1\.\d+/, '');
    calls.push(`${request.method} ${path}`);
    response.setHeader('api-version', '1.41');
    if (path.startsWith('/distribution/')) response.writeHead(404).end('{"message":"no such manifest"}');
    else if (path.endsWith('/push'))
      response.end(
        pushes
          .shift()!
          .map((each) => `${JSON.stringify(each)}\n`)
          .join(''),
      );
    else response.end(/^\/images\/[^/]+\/json/.test(path) ? '{}' : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  engine = new EngineClient(() => connect((server.address() as AddressInfo).port, '127.0.0.1'));
  return calls;
}

const registry = (isOwn: boolean): ImageRegistry => ({
  address: 'registry.example.com/apps',
  isOwn,
  hints: { away: 'check the address', refused: 'check the password', full: 'free space' },
  ready: async () => ({ username: 'mooring', password: 'secret' }),
  isReadOnly: async () => false,
  request: () => Promise.reject(new Error('no requests')),
  beforeDelete: async () => {},
  collectGarbage: async () => {},
});
const imageId = `sha256:${'a'.repeat(64)}`;
const done = [
  { id: 'one', status: 'Pushing', progressDetail: { current: 1_500_000 } },
  { aux: { Digest: 'sha256:b' } },
];

it('says how much it sent', async () => {
  const calls = await engineThatSays(done);
  const lines: string[] = [];
  const { reference } = await pushToRegistry(engine, imageId, registry(true), (line) => lines.push(line));
  expect(reference).toBe('registry.example.com/apps/mooring@sha256:b');
  expect(lines).toEqual(['Sending the image to the registry', expect.stringMatching(/^Sent 2 MB in 0\.\d s$/)]);
  expect(calls.at(-1)).toBe('POST /images/registry.example.com/apps/mooring/push');
});

it.each([
  ['unauthorized: authentication required', 'refused the credentials', 'check the password'],
  ['dial tcp: lookup registry.example.com: no such host', 'does not respond', 'check the address'],
  ['write /var/lib/registry/x: no space left on device', 'is full', 'free space'],
])('explains %s', async (error, what, hint) => {
  await engineThatSays([{ error }]);
  await expect(pushToRegistry(engine, imageId, registry(true))).rejects.toMatchObject({
    name: 'RegistryError',
    message: `the image was not sent: the registry registry.example.com/apps ${what} (${error})`,
    hint,
  });
});

it('waits for our own registry while it is read-only, and for no other', async () => {
  const refused = [{ error: 'error parsing HTTP 405 response body: "Method not allowed\\n"' }];
  await engineThatSays(refused, done);
  const lines: string[] = [];
  await pushToRegistry(engine, imageId, registry(true), (line) => lines.push(line));
  expect(lines[1]).toBe('The registry is freeing space; waiting');
  engine.close();
  server.close();
  await engineThatSays(refused);
  await expect(pushToRegistry(engine, imageId, registry(false))).rejects.toThrow('Method not allowed');
});
