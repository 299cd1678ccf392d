import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { freePort } from '../../../../test/rig/ports.ts';
import { createMemoryEdge } from '../../../drivers/edge/memory.ts';
import { createLog } from '../../../lib/log.ts';
import { localEdgeLocation } from '../edges/edge-location.ts';
import { Proofs } from '../proofs/proofs.ts';
import { DomainPointing } from './pointing.ts';
import { NameResolver } from './resolver.ts';

/** A name with many addresses. */
class ManyAddresses extends NameResolver {
  override resolve = async () => Array.from({ length: 50 }, () => '127.0.0.1');
}

describe('DNS check', () => {
  let app: TestApp;
  let proofs: Proofs;
  let server: Server;
  beforeEach(async () => {
    app = await startApp();
    proofs = new Proofs(app.database.db, createLog('silent', 'json'));
    // Answers correctly but slowly.
    server = createServer((request, response) => {
      const token = request.url!.split('/').at(-1)!;
      void proofs
        .answerFor('slow.example.com', token)
        .then((answer) => sleep(200, answer))
        .then((answer) => response.end(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.close();
    await app.close();
  });

  it.each([
    [['127.0.0.1'], 'here'],
    [['127.0.0.2'], 'unreachable'],
    [undefined, 'unreachable'],
  ])('trusts the addresses %j of a router in front of this machine: %s', async (publicAddresses, status) => {
    const resolver = new ManyAddresses({ servers: undefined, reach: 'private' });
    const pointing = new DomainPointing({ proofs, resolver, reach: 'private', publicAddresses });
    const port = await freePort();
    const edge = { ...createMemoryEdge(), url: (host: string) => `http://${host}:${port}` };
    const place = localEdgeLocation({ edge, baseDomain: 'localhost', addresses: () => [] });
    expect(await pointing.look('shop.example.com', place)).toMatchObject({ status });
    const onServer = { ...place, serverId: 'srv' };
    expect(await pointing.look('shop.example.com', onServer)).toMatchObject({ status: 'unreachable' });
  });

  it('times out regardless of the number of addresses', async () => {
    const { port } = server.address() as AddressInfo;
    const resolver = new ManyAddresses({ servers: undefined, reach: 'private' });
    const pointing = new DomainPointing({ proofs, resolver, reach: 'private', withinMs: 700 });
    const edge = { ...createMemoryEdge(), url: (host: string) => `http://${host}:${port}` };
    const place = localEdgeLocation({ edge, baseDomain: 'localhost', addresses: () => [] });
    const began = Date.now();
    expect(await pointing.look('slow.example.com', place)).toMatchObject({ status: 'unreachable' });
    expect(Date.now() - began).toBeLessThan(3000);
    expect(await app.database.db.selectFrom('domain_proofs').selectAll().execute()).toEqual([]);
  });
});
