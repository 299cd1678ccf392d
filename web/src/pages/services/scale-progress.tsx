import { useSeconds } from '../../ui/seconds.ts';
import { Waiting } from '../../ui/waiting.tsx';
import type { ServiceState } from './service-state.ts';
import { readyIn, replicasIn } from './service-words.ts';

/** A number of replicas that was requested on this page. */
export type Scaling = { service: string; replicas: number };

// Longer than health checks and draining usually take.
const longSeconds = 60;

/** Counts replicas until the number is reached. */
export function ScaleProgress({ scaling, state }: { scaling: Scaling; state: ServiceState }) {
  const { service, replicas } = scaling;
  const isLong = useSeconds() >= longSeconds;
  const stopping = state.replicas.filter(({ isStopping }) => isStopping).length;
  return (
    <Waiting>
      Scaling {service} to {replicas}: {readyIn({ ready: state.ready, wanted: replicas })}
      {stopping > 0 && `, ${replicasIn(stopping)} ${stopping === 1 ? 'is' : 'are'} stopping`}.
      {isLong && ' This takes longer than usual. See the logs of the replicas that are not ready.'}
    </Waiting>
  );
}
