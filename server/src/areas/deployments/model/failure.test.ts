import { expect, it } from 'vitest';
import { EngineAwayError, NodeAwayError } from '../../../drivers/runtime/errors.ts';
import { deploymentFailureOf } from './failure.ts';

it('names the node of a cluster that is away, and not the server that it belongs to', () => {
  const server = { id: 'srv_1', name: 'one' } as never;
  const away = new EngineAwayError(new Error('connect ECONNREFUSED'));
  const of = (error: Error) => deploymentFailureOf(error, 'start', (line) => line, { server });
  expect(of(away).message).toBe('the server one does not respond: connect ECONNREFUSED');
  expect(of(new NodeAwayError('two', away))).toMatchObject({
    code: 'server_away',
    message: 'Mooring does not reach the node two of the cluster: connect ECONNREFUSED',
    hint: expect.stringContaining('mooring cluster status'),
  });
});
