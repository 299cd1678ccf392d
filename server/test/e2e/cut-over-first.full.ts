import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { asked, countIn, type Quay, startQuay, visit, web, whoIn, worker } from '../rig/cut-over.ts';
import { json } from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';

describe.runIf(has('docker') && has('sshd'))('adopting containers on a server', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await startQuay();
  });
  afterAll(() => quay?.close());

  const logOf = async (id: string) =>
    (await json<{ data: { line: string }[] }>(quay.killable.now.get(`/api/deployments/${id}/logs`))).data
      .map(({ line }) => line)
      .join('\n');
  const edgeName = async () =>
    (await quay.scanned()).alreadyManaged.find((name) => name.startsWith('mooring-edge-')) ?? 'no edge';

  it('replaces them, keeps them, and restores them exactly', async () => {
    const shop = await quay.run('shop', web(18_080, 'shop-data'));
    const mailer = await quay.run('mailer', worker());
    const url = `http://${quay.server.address}:18080/`;
    const project = await quay.adopt('shop', ['shop', 'mailer']);
    expect(await quay.plan(project)).toMatchObject([
      {
        name: 'shop',
        change: 'replace',
        strategy: 'stop_first',
        reason: 'takes over from the container shop; they share port 18080 of the machine, the volume shop-data',
      },
      { name: 'mailer', change: 'replace', strategy: 'start_first', reason: 'takes over from the container mailer' },
    ]);
    expect((await quay.undo(project)).status).toBe(400);
    const visitor = visit(url);
    const first = await quay.deployed(project);
    expect(first).toMatchObject({ status: 'ready', error: null });
    const { answers, failed } = await visitor.stop();
    expect(await logOf(first.id)).toMatch(
      /Sending the edge to the server \(about \d+ MB, first time only\)\n(.*\n)*.*the container shop is stopped and kept/,
    );
    const edge = await quay.look(await edgeName());
    const stoppedAt = (await quay.look(shop))!.State.FinishedAt;
    expect(Date.parse(edge!.State.StartedAt)).toBeLessThan(Date.parse(stoppedAt));
    const ours = await quay.ours(project);
    // First the original responds, then ours, with the same volume; health checks count too.
    expect(answers[0]).toBe(`${shop.slice(0, 12)} 1`);
    expect(whoIn(answers)).toEqual([shop, ours['shop']].map((id) => id!.slice(0, 12)));
    expect(countIn(answers.at(-1))).toBeGreaterThanOrEqual(answers.length);
    expect(failed).toBeGreaterThan(0);
    for (const id of [shop, mailer])
      expect(await quay.look(id)).toMatchObject({
        State: { Running: false },
        HostConfig: { RestartPolicy: { Name: 'no' } },
      });
    expect(await quay.shown(project)).toMatchObject({
      state: 'switched',
      canUndo: true,
      services: [
        { name: 'shop', stopsFirst: true, originals: [{ id: shop, standing: 'stopped', running: false }] },
        { name: 'mailer', stopsFirst: false, originals: [{ id: mailer, standing: 'stopped', running: false }] },
      ],
    });
    expect((await quay.scanned()).alreadyManaged.toSorted()).toEqual([
      'mailer',
      expect.stringMatching(/^mooring-edge-/),
      `${project}/mailer`,
      `${project}/shop`,
      'shop',
    ]);
    const refused = await fetch(`${quay.killable.now.url}/api/projects/${project}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ownerToken}` },
    });
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('migrate undo')]);

    expect(await quay.undone(project)).toMatchObject({ restored: ['shop', 'mailer'], warnings: [] });
    expect(await quay.look(shop)).toMatchObject({
      State: { Running: true },
      HostConfig: { RestartPolicy: { Name: 'unless-stopped', MaximumRetryCount: 0 } },
    });
    expect(await quay.look(mailer)).toMatchObject({
      State: { Running: true },
      HostConfig: { RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 } },
    });
    expect(await quay.ours(project)).toEqual({});
    expect(await quay.settled(first.id)).toMatchObject({ status: 'ready', active: false });
    const after = await asked(url);
    expect([whoIn([after]), countIn(after)]).toEqual([[shop.slice(0, 12)], countIn(answers.at(-1)) + 1]);
    expect(await quay.shown(project)).toMatchObject({ state: 'undone', canUndo: false });
    expect((await quay.undo(project)).status).toBe(400);

    expect(await quay.deployed(project)).toMatchObject({ status: 'ready' });
    const confirmed = await quay.confirm(project);
    expect(await confirmed.json()).toMatchObject({ success: true, removed: ['shop', 'mailer'], warnings: [] });
    expect([await quay.look(shop), await quay.look(mailer)]).toEqual([undefined, undefined]);
    expect(countIn(await asked(url))).toBeGreaterThan(countIn(after));
    expect(await quay.shown(project)).toMatchObject({ state: 'confirmed' });
    expect([(await quay.undo(project)).status, (await quay.confirm(project)).status]).toEqual([400, 400]);
  });
});
