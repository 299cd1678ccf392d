import { afterEach, expect, it } from 'vitest';
import { exchanged, type Restored } from '../../../../test/rig/restore.ts';
import { thingsOf } from '../../../../test/rig/things.ts';
import type { Stack } from '../model/stack.ts';
import { volumeOverCode } from '../model/volumes.ts';
import { planStep } from './plan-step.ts';

let rig: Restored | undefined;
afterEach(() => rig?.app.close());

it('warns about volumes that are not mounted because their service is gone', async () => {
  const entries = (...names: string[]) => names.map((name) => ({ name, image: 'some' }));
  rig = await exchanged(
    { entries: entries('web', 'db'), version: 'v1' },
    { entries: entries('site', 'db'), version: 'v2' },
    {},
  );
  const { app, context } = rig;
  const add = (name: string, service: string) =>
    thingsOf(() => app).post(`/api/projects/${context.deployment.projectId}/volumes`, {
      name,
      path: name,
      service,
    });
  expect([(await add('uploads', 'web')).status, (await add('rows', 'db')).status]).toEqual([201, 201]);
  const warnings: string[] = [];
  const log = (line: string, level?: string) => void (level === 'warn' && warnings.push(line));
  await planStep.run({ ...context, log });
  expect(warnings).toEqual([
    expect.stringMatching(
      /^The volume uploads is not mounted: there is no service web; there are site, db\. Its data stays/,
    ),
  ]);
});

it('detects a volume that hides the code of an app with a generated Dockerfile', () => {
  const over = (
    target: string,
    dockerfile: object = { text: 'FROM node\nWORKDIR /build\nFROM node\nWORKDIR /app/web\n' },
  ) => {
    const mounts = [{ type: 'volume', volume: 'files', target, isOfProject: true }];
    const stack = { app: { image: { dockerfile } }, project: { services: [{ name: 'app', mounts }] } };
    return volumeOverCode(stack as unknown as Stack)?.name;
  };
  expect(['/app', '/app/web'].map((target) => over(target))).toEqual(['files', 'files']);
  const inside = ['/app/web/data', 'data', '/build', '/app/we'];
  expect(inside.map((target) => over(target))).toEqual(inside.map(() => undefined));
  expect(over('/app', { path: 'Dockerfile' }), 'one of the source may keep its code elsewhere').toBeUndefined();
});
