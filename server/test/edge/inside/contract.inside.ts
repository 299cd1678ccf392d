import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { edgeContract, secureEdgeContract } from '../../../src/drivers/edge/contract/contract.ts';
import { EngineClient, engineAt } from '../../../src/drivers/runtime/docker/engine/client.ts';
import { type EngineDoor, engineDoor } from '../../rig/engine-over-ssh.ts';
import { bundlePrograms, serverEdges } from '../../rig/server-edge.ts';

// In the engine's network, so that apps, edge and clients share one loopback.
const address = process.env['MOORING_TEST_ENGINE']!;
const bundle = bundlePrograms();
let door: EngineDoor | undefined;
afterAll(() => door?.close());

const started = (instanceId: string) => async () => {
  door ??= await engineDoor(address);
  const edges = serverEdges(door.connect, bundle);
  const edge = edges.driver({ instanceId });
  await edge.ensure();
  return {
    edge,
    async close() {
      const here = new EngineClient(engineAt(address));
      const path = `/volumes/mooring-edge-${instanceId}`;
      const { Mountpoint } = await here.json<{ Mountpoint: string }>({ method: 'GET', path });
      expect(readFileSync(join(Mountpoint, 'edge.log'), 'utf8')).not.toMatch(/uncaught|a request failed/);
      await edge.dismantle();
      edges.close();
      here.close();
    },
  };
};

edgeContract('on a server', started('ins_plain'), { reachesService: false });
secureEdgeContract('on a server', started('ins_secure'), { reachesService: false });
