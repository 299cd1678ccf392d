import { ensureEdge } from '../../../../test/rig/edge.ts';
import { secureEdgeContract } from '../contract/contract.ts';

secureEdgeContract('builtin', async () => {
  const edge = await ensureEdge();
  return { edge, close: () => edge.close() };
});
