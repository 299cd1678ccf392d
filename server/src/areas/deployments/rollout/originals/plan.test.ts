import { describe, expect, it } from 'vitest';
import { parseCompose } from '../../../../compose/index.ts';
import { memoryTree } from '../../../../detect/memory-tree.ts';
import type { Original } from '../../model/originals.ts';
import { planTakeOvers } from './plan.ts';

const original = (more: Partial<Original> = {}): Original => ({
  containerId: 'c1',
  name: 'shop-1',
  ports: [],
  mounts: [],
  networks: [{ name: 'bridge' }],
  ...more,
});
const mount = (type: string, from: string, readOnly = false) => ({ type, name: from, source: from, readOnly });

async function takeOver(web: object, originals: Original[]) {
  const volumes = { data: { external: true, name: 'shop_data' }, other: {} };
  const text = JSON.stringify({ services: { web: { image: 'some', ...web } }, volumes });
  const project = await parseCompose(memoryTree({ 'compose.json': text }), { name: 'shop', files: ['compose.json'] });
  return planTakeOvers(project, { web: originals }).get('web');
}

describe('takeover from original containers', () => {
  it('has no downtime where both can run at once', async () => {
    const from = 'takes over from the container shop-1';
    expect(await takeOver({}, [original()])).toEqual({ strategy: 'start_first', reason: from });
    const others = original({
      ports: [
        { protocol: 'udp', published: 80 },
        { protocol: 'tcp', published: null },
      ],
      mounts: [mount('volume', 'shop_data', true), mount('bind', '/run/docker.sock')],
    });
    const web = {
      ports: ['80:80', '81'],
      volumes: ['data:/data:ro', 'other:/other', '/run/docker.sock:/run/docker.sock', '/etc/hosts:/etc/hosts:ro'],
    };
    expect(await takeOver(web, [others])).toMatchObject({ strategy: 'start_first' });
  });

  it.each([
    ['port 80 of the machine', { ports: ['80:8080'] }, { ports: [{ protocol: 'tcp', published: 80 }] }],
    ['port 53/udp of the machine', { ports: ['53:53/udp'] }, { ports: [{ protocol: 'udp', published: 53 }] }],
    ['the volume shop_data', { volumes: ['data:/x'] }, { mounts: [mount('volume', 'shop_data')] }],
    ['the volume shop_data', { volumes: ['data:/x:ro'] }, { mounts: [mount('volume', 'shop_data')] }],
    ['the volume shop_data', { volumes: ['data:/x'] }, { mounts: [mount('volume', 'shop_data', true)] }],
    ['the folder /srv/shop', { volumes: ['/srv/shop:/x'] }, { mounts: [mount('bind', '/srv/shop')] }],
    ['the network of the machine', { network_mode: 'host' }, { networks: [{ name: 'host' }] }],
  ])('stops the original first where they share %s', async (shared, web, more) => {
    const reason = `takes over from the container shop-1; they share ${shared}`;
    expect(await takeOver(web, [original(more)])).toEqual({ strategy: 'stop_first', reason });
  });

  it('names several originals, and ignores a service without any', async () => {
    const two = [original(), original({ containerId: 'c2', name: 'shop-2' })];
    expect((await takeOver({}, two))?.reason).toBe('takes over from the containers shop-1, shop-2');
    expect(await takeOver({}, [])).toBeUndefined();
  });
});
