import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerTable } from '../../../db/tables.ts';
import type { EngineClient } from '../../../drivers/runtime/docker/engine/client.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { moveServices } from '../../../drivers/runtime/swarm/move-services.ts';
import type { Machines } from '../model/machines.ts';
import type { Parts } from '../model/parts.ts';
import { containerKey } from '../model/stack.ts';

const answerMs = 20_000;
const holdMs = 30_000;
const drainMs = 5_000;

/** Starts everything that a node of a cluster runs on other nodes. Requests wait at the edges meanwhile. */
export async function drainNode(
  machines: Machines,
  { id, kind, organizationId }: ServerTable,
  engine: EngineClient,
  nodeId: string,
): Promise<void> {
  const parts = await machines.of({ organizationId, serverId: kind === 'this_machine' ? null : id });
  await moveServices(engine, parts.instanceId, nodeId, {
    async whileHeld({ owner: { deploymentId, service }, port, imageId }, move) {
      if (port === 0) return move();
      // A pull may take longer than requests can wait.
      if (imageId) await parts.containers?.services.spreadImage?.(imageId);
      const key = containerKey(deploymentId, service);
      await parts.edge.hold(key, { withinMs: holdMs, drainMs });
      try {
        await move();
      } finally {
        await parts.edge.resume(key);
      }
    },
    untilAnswers: (instance) => untilAnswers(parts, instance),
  });
}

/** Gives up after a while: an app may listen only later, and its route is checked by upkeep. */
async function untilAnswers({ openPort }: Parts, { host, port }: Instance): Promise<void> {
  for (const giveUp = Date.now() + answerMs; Date.now() < giveUp; await sleep(200))
    try {
      const stream = await openPort({ host, port }, AbortSignal.timeout(answerMs));
      // Closing it early is an error for some streams.
      stream.on('error', () => {}).destroy();
      return;
    } catch {
      // It does not listen yet.
    }
}
