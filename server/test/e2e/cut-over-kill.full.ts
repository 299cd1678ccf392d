import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asked, type Quay, startQuay, web, worker } from '../rig/cut-over.ts';
import { sayFigures } from '../rig/figures.ts';
import { readInside } from '../rig/inside.ts';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';

const [port, second] = [18_300, 400];
const url = (quay: Quay) => `http://${quay.server.address}:${port}/`;

describe.runIf(has('docker') && has('sshd'))('a cut-over with the service killed at any moment', () => {
  let quay: Quay;
  let project: string;
  const before: Record<string, string> = {};
  beforeAll(async () => {
    quay = await startQuay();
    before['shop'] = await quay.run('shop', web(port, 'shop-data', { slowStopMs: 700 }));
    before['mailer'] = await quay.run('mailer', worker({ slowStopMs: 700 }));
    project = await quay.adopt('shop', ['shop', 'mailer']);
  });
  afterAll(() => quay?.close());

  const state = () =>
    readInside(quay.killable.now.dataDir, (database) => {
      const row = database.prepare('select state, originals from adoptions').get() as Record<string, string>;
      return `${row['state']}, ${row['originals']!.split('"held"').length - 1} held`;
    });
  const killAfter = async (ms: number) => {
    await sleep(ms);
    await quay.killable.kill();
    const seen = state();
    await quay.killable.start();
    return seen;
  };
  /** Exactly one container of each service is running, and it is the right one. */
  const requireOne = async (which: 'ours' | 'originals') => {
    const ours = await quay.ours(project);
    const isOurs = which === 'ours';
    expect(Object.keys(ours).toSorted()).toEqual(isOurs ? ['mailer', 'shop'] : []);
    const policies = { shop: 'unless-stopped', mailer: 'on-failure' };
    for (const [name, policy] of Object.entries(policies))
      expect(await quay.look(before[name]!)).toMatchObject({
        State: { Running: !isOurs },
        HostConfig: { RestartPolicy: { Name: isOurs ? 'no' : policy } },
      });
    expect(await asked(url(quay))).toContain((isOurs ? ours['shop']! : before['shop']!).slice(0, 12));
  };

  it('completes in both directions, each time', async () => {
    const seen: Record<string, string> = {};
    for (let ms = 0; ms <= 4000; ms += second) {
      const id = await quay.begin(project);
      seen[`there ${ms}`] = await killAfter(ms);
      expect(await quay.settled(id)).toMatchObject({ status: 'ready', error: null });
      await requireOne('ours');
      const cutOff = quay.undo(project).catch((error: Error) => error);
      seen[`back ${ms}`] = await killAfter(ms / 2);
      await cutOff;
      // Either it had started and completes on restart, or the request was lost.
      if (!state().startsWith('undo')) await quay.undone(project);
      await until('it is undone', () => state().startsWith('undone, 0'), 40_000);
      await requireOne('originals');
    }
    sayFigures('what each kill found', seen);
    const found = new Set(Object.values(seen));
    expect(found.size).toBeGreaterThan(3);
  }, 600_000);
});
