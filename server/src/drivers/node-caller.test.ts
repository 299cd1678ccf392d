import { describe, expect, it } from 'vitest';
import { NodeCaller } from './node-caller.ts';
import { EngineAwayError } from './runtime/errors.ts';

const away = () => Promise.reject(new EngineAwayError(new Error('connect ECONNREFUSED')));

describe('a node that does not respond', () => {
  it('is named, whether its name is known here or not', async () => {
    const each = new NodeCaller({ isDown: async () => false, patienceMs: 0, nameOf: async (id) => `name of ${id}` });
    const failed = expect.objectContaining({
      node: 'two',
      message: 'the node two: Docker does not respond: connect ECONNREFUSED',
    });
    await expect(each.all([{ id: '2', name: 'two' }], away)).rejects.toEqual(failed);
    await expect(each.one({ id: '3' }, away)).rejects.toMatchObject({ node: 'name of 3' });
  });

  it('is left out once the cluster has given it up', async () => {
    const each = new NodeCaller({ isDown: async (id) => id === '2' });
    const task = ({ id }: { id: string }) => (id === '2' ? away() : Promise.resolve(id));
    const results = await each.all([{ id: '1' }, { id: '2' }], task);
    expect(results.map(({ value }) => value)).toEqual(['1']);
    expect([...each.down]).toEqual(['2']);
  });
});
