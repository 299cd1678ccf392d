import { ensureEdge } from '../rig/edge.ts';
import { secureEdgeContract } from '../../src/drivers/edge/contract/contract.ts';

secureEdgeContract('builtin', async () => {
  const edge = await ensureEdge();
  return { edge, close: () => edge.close() };
});
