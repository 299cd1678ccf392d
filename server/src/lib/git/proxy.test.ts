import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GitProxy } from './proxy.ts';

/** A request of git through the proxy to a host that has not responded yet. */
async function requestInFlight() {
  const host = createServer().listen(0, '127.0.0.1');
  await once(host, 'listening');
  const proxy = await GitProxy.open('private', {});
  onTestFinished(() => {
    proxy.close();
    host.close();
    host.closeAllConnections();
  });
  const { username, password, hostname, port } = new URL(proxy.url);
  const git = request({
    hostname,
    port,
    path: `http://127.0.0.1:${(host.address() as AddressInfo).port}/a.git/info/refs`,
    headers: { 'proxy-authorization': `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
  });
  git.on('error', () => {});
  git.end();
  const [, answer] = (await once(host, 'request')) as [unknown, ServerResponse];
  return { git, answer };
}

describe('git proxy', () => {
  it('aborts the request to the host when git is killed before the response', async () => {
    const { git, answer } = await requestInFlight();
    git.destroy();
    await once(answer, 'close');
    expect(answer.writableFinished).toBe(false);
  });
});
