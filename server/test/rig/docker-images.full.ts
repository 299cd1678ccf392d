import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Docker, startDocker } from './docker.ts';
import { makeImage, nodeForBuilds } from './docker-images.ts';
import { has } from './parts.ts';
import { openWayOut } from './way-out.ts';

/** Runs a command to its end; returns its output. */
async function run({ client }: Docker, image: string, command: string[]): Promise<string> {
  const body = { Image: image, Cmd: command, Tty: true };
  const { Id } = await client.json<{ Id: string }>({ method: 'POST', path: '/containers/create', body });
  await client.json({ method: 'POST', path: `/containers/${Id}/start` });
  await client.json({ method: 'POST', path: `/containers/${Id}/wait` });
  const query = { stdout: true, stderr: true };
  return text(await client.open({ method: 'GET', path: `/containers/${Id}/logs`, query }));
}

/** Opens a connection through a proxy, and requests a web server through it. */
const asking = (proxy: string, port: number) => `
  require('node:http').request({ ...require('node:url').urlToHttpOptions(new URL('${proxy}')), method: 'CONNECT', path: '127.0.0.1:${port}' })
    .on('connect', (_, socket) => { socket.pipe(process.stdout); socket.write('GET / HTTP/1.0\\r\\n\\r\\n'); })
    .end();`;

describe.runIf(has('docker'))('images of the rig', () => {
  it('are Debian with Node and npm, and containers can download build dependencies', async () => {
    const docker = await startDocker();
    onTestFinished(() => docker.close());
    const image = await makeImage(docker.client, nodeForBuilds());
    const versions = await run(docker, image, [
      'bash',
      '-c',
      'node --version && npm --version && awk "BEGIN { print 6 * 7 }"',
    ]);
    expect(versions.split('\r\n')).toEqual([process.version, expect.stringMatching(/^\d+\.\d+\.\d+$/), '42', '']);
    const outside = createServer((_, response) => response.end('from outside')).listen(0, '127.0.0.1');
    const wayOut = await openWayOut(docker.namespace.gateway);
    onTestFinished(() => {
      outside.close();
      wayOut.close();
    });
    const { port } = outside.address() as AddressInfo;
    expect(await run(docker, image, ['node', '-e', asking(wayOut.url, port)])).toMatch(/from outside$/);
  });
});
