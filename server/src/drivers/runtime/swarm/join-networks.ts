import type { EngineClient } from '../docker/engine/client.ts';
import { EngineError } from '../docker/engine/errors.ts';

/** Connects a container to networks that it is not connected to yet. A container that does not exist joins them when
 * it is created. */
export async function joinNetworks(engine: EngineClient, container: string, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    try {
      await engine.json({ method: 'POST', path: `/networks/${id}/connect`, body: { Container: container } });
    } catch (error) {
      const isFine = error instanceof EngineError && /already (exists|attached)|no such container/i.test(error.message);
      if (!isFine) throw error;
    }
}
