import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import type { EngineClient } from '../docker/engine/client.ts';
import { EngineError } from '../docker/engine/errors.ts';
import type { ImageRelease, ServiceMount } from '../runtime.ts';
import { OwnSecrets } from './own-secrets.ts';

const files = newFolder('contents');
const fileOf = (
  name: string,
  content: string,
  changes: Partial<ServiceMount & { type: 'bind' }> = {},
): ServiceMount => {
  const path = join(files, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return { type: 'bind', path, target: `/etc/${name}`, isReadOnly: true, propagation: null, ...changes };
};
const release = (...mounts: ServiceMount[]): ImageRelease =>
  ({ owner: { instanceId: 'ins_1', projectId: 'prj_1', service: 'web' }, service: { mounts } }) as never;

type Created = { Name: string; Data: string };

/** An engine that has these secrets, as far as `OwnSecrets` asks for them. */
function engineWith(created: Created[] = []) {
  const json = async ({ method, body }: { method: string; body: Created }) => {
    if (method === 'GET') return created.map(({ Name }) => ({ ID: `id ${Name}`, Spec: { Name, Labels: {} } }));
    if (created.some(({ Name }) => Name === body.Name)) throw new EngineError(409, 'already exists');
    created.push(body);
    return { ID: `id ${body.Name}` };
  };
  return { created, json } as unknown as EngineClient & { created: Created[]; json: typeof json };
}

describe('files of a release', () => {
  it('are secrets, one for each content', async () => {
    const engine = engineWith();
    const secrets = new OwnSecrets(engine, 'ins_1', files);
    const [one, same, other] = ['one', 'same', 'other'].map((name) => fileOf(`prj_1/${name}`, 'a'));
    const tmpfs: ServiceMount = { type: 'tmpfs', target: '/t', isReadOnly: false, sizeBytes: null, mode: null };
    const placed = await secrets.ensure(release(one!, tmpfs, same!, fileOf('prj_1/b', 'b'), other!));
    expect(placed.mounts).toEqual([tmpfs]);
    expect(placed.secrets.map(({ File }) => File.Name)).toEqual(
      ['one', 'same', 'b', 'other'].map((name) => `/etc/prj_1/${name}`),
    );
    expect(engine.created.map(({ Data }) => Buffer.from(Data, 'base64').toString())).toEqual(['a', 'b']);
    expect(new Set(placed.secrets.map(({ SecretName }) => SecretName)).size).toBe(2);
  });

  it('use a secret that another process creates at the same time', async () => {
    const engine = engineWith();
    const wanted = release(fileOf('prj_1/race', 'race'));
    const [first, second] = await Promise.all([1, 2].map(() => new OwnSecrets(engine, 'ins_1', files).ensure(wanted)));
    expect(first).toEqual(second);
    expect(engine.created).toHaveLength(1);
  });

  const link = join(files, 'prj_1', 'link');
  it.each([
    ['a folder', () => ({ ...fileOf('prj_1/folder/file', 'x'), path: join(files, 'prj_1', 'folder') })],
    ['a large file', () => fileOf('prj_1/large', 'x'.repeat(512_000))],
    ['an empty file', () => fileOf('prj_1/empty', '')],
    ['a writable file', () => fileOf('prj_1/writable', 'x', { isReadOnly: false })],
    ['a file of another project', () => fileOf('prj_10/file', 'x')],
    ['a file of the machine', () => fileOf('file', 'x', { path: '/etc/hostname' })],
    [
      'a link',
      () => {
        symlinkSync('/etc/hostname', link);
        return { ...fileOf('prj_1/x', 'x'), path: link };
      },
    ],
  ])('stay mounts beside %s', async (_, other) => {
    const engine = engineWith();
    const mounts = [fileOf('prj_1/file', 'x'), other() as ServiceMount];
    const placed = await new OwnSecrets(engine, 'ins_1', files).ensure(release(...mounts));
    expect(placed).toEqual({ secrets: [], mounts });
    expect(engine.created).toEqual([]);
  });
});
