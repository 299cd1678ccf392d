import { edgeContract, secureEdgeContract } from '../../src/drivers/edge/contract/contract.ts';
import { ensureEdge } from '../rig/edge.ts';

const start = async () => {
  const edge = await ensureEdge({ workers: 3 });
  return { edge, close: () => edge.close() };
};

edgeContract('builtin with three processes', start);
secureEdgeContract('builtin with three processes', start);
