import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ensureProject, json } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { has } from '../rig/parts.ts';
import { startPebble } from '../rig/pebble.ts';
import { freePort } from '../rig/ports.ts';
import { secureVisitor } from '../rig/secure-visitor.ts';
import { until } from '../rig/until.ts';

type Data = {
  stored: { fingerprint: string } | null;
  served: { fingerprint: string | null };
  order: { status: string } | null;
};

describe.runIf(has('pebble'))('a service killed during a certificate renewal', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  const status = async ({ now }: Killable, domain: string) =>
    (await json<{ data: Data }>(now.post('/api/deployments/ssl/status', { domain }))).data;
  /** The reported certificate is the served one, and no order is open. */
  const settled = (service: Killable, domain: string) =>
    until(
      `${domain} is settled`,
      async () => {
        const { stored, served, order } = await status(service, domain);
        const isSettled = stored && stored.fingerprint === served.fingerprint && order?.status === 'done';
        return isSettled ? stored.fingerprint : undefined;
      },
      60_000,
    );

  it('keeps serving, reports what clients get, and orders no more often than requested and killed', async () => {
    const [port, tlsPort] = [await freePort(), await freePort()];
    const pebble = await startPebble({ httpPort: port });
    closing.push(() => pebble.stop());
    const service = await startKillable({
      MOORING_EDGE_PORT: String(port),
      MOORING_EDGE_TLS_PORT: String(tlsPort),
      MOORING_ACME_DIRECTORY: pebble.directory,
      MOORING_ACME_CA_FILE: pebble.caFile,
      MOORING_DNS_SERVERS: pebble.dnsServer,
    });
    closing.push(() => service.now.stop());
    const visit = secureVisitor(await pebble.root(), () => tlsPort);
    const project = await ensureProject(service.now, 'shop');
    const names = Array.from({ length: 12 }, (_, i) => `k${i}.example.com`);
    for (const name of names) await json(service.now.post(`/api/projects/${project}/domains`, { name }));
    const before = new Map<string, string>();
    for (const name of names) before.set(name, (await settled(service, name))!);
    const figures = { kills: 0, renewed: 0, asBefore: 0, orders: pebble.orders(), longestMs: 0 };

    for (const [i, name] of names.entries()) {
      const ordered = pebble.orders();
      const lost = service.now.post('/api/deployments/ssl/renew', { domain: name }).catch(() => undefined);
      // From before the order to after its end.
      await sleep(i * 70);
      await service.kill();
      await lost;
      expect((await visit(name)).status, 'nothing is deployed, but TLS is spoken').toBe(404);
      await service.start();
      const began = Date.now();
      const now = await settled(service, name);
      figures.longestMs = Math.max(figures.longestMs, Date.now() - began);
      if (now === before.get(name)) figures.asBefore++;
      else figures.renewed++;
      // An interrupted order is restarted once.
      const most = now === before.get(name) ? 0 : 2;
      expect([name, pebble.orders() - ordered <= most, pebble.orders() - ordered]).toEqual([
        name,
        true,
        expect.any(Number),
      ]);
    }
    figures.kills = service.kills;
    figures.orders = pebble.orders() - figures.orders;
    sayFigures('kill -9 while a certificate is renewed', figures);
    expect(figures.renewed).toBeGreaterThan(4);
    for (const name of names) expect((await visit(name)).status).toBe(404);
  }, 240_000);
});
