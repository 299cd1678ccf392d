import { useQuery } from '@tanstack/react-query';
import { orderQuery } from '../../api.ts';
import { useSeconds } from '../../ui/seconds.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { Time } from '../../ui/time.tsx';

const lookAgainMs = 2000;

const words = {
  waiting: 'The order is queued …',
  running: 'The certificate authority is validating the domain …',
  // The outcome of the previous order.
  failed: 'Ordering a certificate …',
  done: 'Ordering a certificate …',
} as const;

/** The progress of a certificate order. */
export function RenewProgress({ name }: { name: string }) {
  const order = useQuery({ ...orderQuery(name), refetchInterval: lookAgainMs }).data;
  const seconds = useSeconds();
  return (
    <>
      <Spinner size={15} />
      <span className="min-w-0">
        {words[order?.status ?? 'done']}{' '}
        <span aria-hidden="true" className="whitespace-nowrap tabular-nums">
          {seconds} s
        </span>
      </span>
    </>
  );
}

/** The time of the next automatic retry. */
export function NextTry({ name }: { name: string }) {
  const order = useQuery(orderQuery(name)).data;
  if (!order?.nextAttemptAt) return null;
  const { attempts, nextAttemptAt } = order;
  return (
    <p className="mt-1 text-ink">
      The order failed {attempts === 1 ? 'once' : `${attempts} times in a row`}. Mooring retries{' '}
      <Time at={nextAttemptAt} />.
    </p>
  );
}
