import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askAllTheTime, ensureProject, folderOf } from '../rig/deploy.ts';
import { node } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';
import { type StackStage, startStackStage } from '../rig/stack-stage.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';

/** Ignores SIGTERM: the engine kills it after its grace period. */
const program = (says: string) =>
  `process.on('SIGTERM', () => {}); require('node:http').createServer((request, response) => response.end('${says}')).listen(3000);`;
const crash = 'console.error("no luck"); process.exit(3);';

function twoServices(web: string, apiProgram = program('api')): string {
  const service = (file: string) =>
    `image: ${node.name}\n    command: ["node", "/program/${file}"]\n    volumes: ["./${file}:/program/${file}:ro"]\n    ports: ["3000"]`;
  return folderOf({
    'compose.yaml': `services:\n  web:\n    ${service('web.js')}\n  api:\n    ${service('api.js')}\n`,
    'web.js': program(`web ${web}`),
    'api.js': apiProgram,
  });
}

describe.runIf(has('docker'))('reject after a kill -9 of the service', () => {
  let rig: StackStage;
  let project: string;
  let url: string;
  let count = 0;

  beforeAll(async () => {
    rig = await startStackStage();
    project = await ensureProject(rig.service(), 'pair', {});
    const first = await rig.deployed(project, twoServices('v0'));
    expect(first.error, JSON.stringify(first)).toBeNull();
    url = first.urls.find((each) => !each.includes('//api.'))!;
  }, 180_000);
  afterAll(() => rig?.close(), 120_000);

  it.each([0.5, 1, 2, 4, 6, 8])(
    '%s s after the restart, no request fails',
    async (seconds) => {
      const pending = await rig.deployed(project, twoServices(`v${++count}`, crash));
      expect(pending.status, JSON.stringify(pending)).toBe('partial_failure');
      const asking = askAllTheTime(url, 4);
      await sleep(4000);
      await rig.killable.kill();
      await rig.killable.start();
      await sleep(seconds * 1000);
      const asked = Date.now();
      const answer = await rig.act(pending.id, 'reject');
      const answeredMs = Date.now() - asked;
      expect(answer.status).toBe(200);
      const over = await rig.settled(pending.id);
      const rejectedMs = Date.now() - asked;
      // The engine kills the containers that were stopping before the kill after 10 s.
      await sleep(14_000);
      const answers = await asking.stop();
      sayFigures(`reject ${seconds} s after the restart`, { answeredMs, rejectedMs, ...Object.fromEntries(answers) });
      expect(over.status).toBe('rejected');
      expect([...answers.keys()].filter((each) => !each.startsWith('200 web'))).toEqual([]);
      expect(answeredMs).toBeLessThan(3000);
      await untilTidy(rig.docker, rig.service().dataDir);
    },
    180_000,
  );
});
