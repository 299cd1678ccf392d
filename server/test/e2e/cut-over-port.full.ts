import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asked, type Quay, startQuay, web, worker } from '../rig/cut-over.ts';
import { has } from '../rig/parts.ts';

describe.runIf(has('docker') && has('sshd'))('a cut-over while the port of the edge is taken', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await startQuay();
  });
  afterAll(() => quay?.close());

  const remove = (id: string) =>
    quay.server.docker.client.json({ method: 'DELETE', path: `/containers/${id}`, query: { force: true } });
  const startedAt = async (id: string) => (await quay.look(id))!.State.StartedAt;

  it('stops nothing if an adopted container has it', async () => {
    const front = await quay.run('front', web(80, 'front-data'));
    const before = await startedAt(front);
    const project = await quay.adopt('front', ['front']);
    expect(await quay.deployed(project)).toMatchObject({ status: 'failed', error: { code: 'edge_not_ready' } });
    expect([await startedAt(front), (await quay.look(front))!.State.Running]).toEqual([before, true]);
    await remove(front);
  });

  it('stops nothing if another program has it, and says how to choose another port', async () => {
    const proxy = await quay.run('proxy', web(80, 'proxy-data'));
    const queue = await quay.run('queue', worker());
    const before = await startedAt(queue);
    const project = await quay.adopt('queue', ['queue']);
    const failed = await quay.deployed(project);
    expect(failed).toMatchObject({
      status: 'failed',
      error: {
        code: 'edge_not_ready',
        message: expect.stringMatching(/^the edge on \S+ does not start: .*\b80\b/),
        hint: expect.stringContaining('--edge-port'),
      },
    });
    expect(failed.error!.message).not.toContain('edgePort');
    expect([await startedAt(queue), (await quay.look(queue))!.State.Running]).toEqual([before, true]);
    // The edge does not wait for the port, so the program gets it back after a restart.
    await quay.server.docker.client.json({ method: 'POST', path: `/containers/${proxy}/restart` });
    expect(await asked(`http://${quay.server.address}/`)).toContain(proxy.slice(0, 12));
    await remove(proxy);
    expect(await quay.deployed(project)).toMatchObject({ status: 'ready' });
    await quay.undone(project);
  });
});
