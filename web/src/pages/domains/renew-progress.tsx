import { useQuery } from '@tanstack/react-query';
import { orderQuery } from '../../api.ts';
import { useSeconds } from '../../ui/seconds.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { Time } from '../../ui/time.tsx';

const lookAgainMs = 2000;

const words = {
  waiting: 'The order waits for its turn …',
  running: 'The authority looks whether the name leads here, and issues a certificate …',
  // As the one before ended.
  failed: 'A new certificate is being ordered …',
  done: 'A new certificate is being ordered …',
} as const;

/** How far an order is, while somebody waits for it. */
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

/** When it is tried again without anybody doing something. */
export function NextTry({ name }: { name: string }) {
  const order = useQuery(orderQuery(name)).data;
  if (!order?.nextAttemptAt) return null;
  const { attempts, nextAttemptAt } = order;
  return (
    <p className="mt-1 text-ink">
      It failed {attempts === 1 ? 'once' : `${attempts} times in a row`}. The next try by itself is{' '}
      <Time at={nextAttemptAt} />.
    </p>
  );
}
