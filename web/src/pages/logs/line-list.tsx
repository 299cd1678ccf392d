import { useLayoutEffect, useRef } from 'react';
import { exactTime } from '../../times.ts';
import type { ShownLine } from './log-lines.ts';

/** Which columns stand before the text. */
type Shown = { service: boolean; replica: boolean };
type Props = { lines: readonly ShownLine[]; isWrapped: boolean; show: Shown };

// A reader who has scrolled up by more than this stays there when new lines arrive.
const nearEndPx = 40;

/** Log lines, oldest first. It stays at the end until somebody scrolls up. */
export function LineList({ lines, isWrapped, show }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [lines, isWrapped]);
  return (
    <div
      ref={box}
      // Announcing each line would drown out everything else.
      role="log"
      aria-live="off"
      aria-label="Log lines"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEndPx;
      }}
      className="h-80 overflow-auto bg-sunken px-3 py-2 font-mono text-xs leading-5 -outline-offset-2"
    >
      {lines.length === 0 && <p className="text-muted">No log lines yet.</p>}
      <div className={isWrapped ? '[overflow-wrap:anywhere] whitespace-pre-wrap' : 'w-max min-w-full whitespace-pre'}>
        {lines.map((line) => (
          <Line key={line.number} line={line} show={show} />
        ))}
      </div>
    </div>
  );
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

const Line = ({ line: { at, line, service, replica }, show }: { line: ShownLine; show: Shown }) => (
  <div>
    <time dateTime={at} title={exactTime(at)} className="text-muted">
      {clock.format(Date.parse(at))}
    </time>{' '}
    {show.service && service !== null && <span className="text-accent">{service} </span>}
    {show.replica && replica !== null && <span className="text-accent">#{replica} </span>}
    {line}
  </div>
);
