import { exactTime, relativeTime } from '../times.ts';

/** How long ago, with the exact time on hover. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap">
      {relativeTime(at)}
    </time>
  );
}
