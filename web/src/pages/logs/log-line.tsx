import { type CSSProperties, memo } from 'react';
import { exactTime } from '../../times.ts';
import { type Span, spansOf } from './ansi.ts';
import type { LogLine } from './lines.ts';

/** The columns before the text. */
export type ShownColumns = { time: boolean; service: boolean; replica: boolean };

type Props = {
  line: LogLine;
  show: ShownColumns;
  isWrapped: boolean;
  pattern: RegExp | undefined;
  /** The line that the search or a jump has selected. */
  isCurrent: boolean;
};

const looks = {
  info: '',
  warn: 'bg-warn-soft/50 shadow-[inset_3px_0_0_var(--warn)]',
  error: 'bg-danger-soft/60 shadow-[inset_3px_0_0_var(--danger)]',
};

/** The service and replica before the text of a line. */
export function prefixOf({ service, replica }: LogLine, show: ShownColumns): string {
  const name = show.service && service !== null ? `${service} ` : '';
  return show.replica && replica !== null ? `${name}#${replica} ` : name;
}

/** Renders again only when its own props change. */
export const LogLineRow = memo(function LogLineRow({ line, show, isWrapped, pattern, isCurrent }: Props) {
  const { at, raw, level } = line;
  const prefix = prefixOf(line, show);
  return (
    <div
      data-number={line.number}
      data-level={level === 'info' ? undefined : level}
      className={`flex min-h-[20px] px-[12px] ${looks[level]} ${isCurrent ? 'outline-2 -outline-offset-2 outline-accent' : ''}`}
    >
      {show.time && (
        <time dateTime={at} title={dateOf(at)} className="w-[9ch] shrink-0 text-muted select-none">
          {clockOf(at)}
        </time>
      )}
      <span className={isWrapped ? 'min-w-0 flex-1 break-all whitespace-pre-wrap' : 'whitespace-pre'}>
        {level === 'error' && <span className="sr-only">Error: </span>}
        {prefix && <span className="text-accent">{prefix}</span>}
        {spansOf(raw).map((span, index) => (
          <SpanText key={index} span={span} pattern={pattern} />
        ))}
      </span>
    </div>
  );
});

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** Caches the last result: neighbouring lines usually fall within the same second. */
function bySecond(format: (at: string) => string): (at: string) => string {
  let [second, text] = ['', ''];
  return (at) => {
    if (at.slice(0, 19) !== second) [second, text] = [at.slice(0, 19), format(at)];
    return text;
  };
}
const clockOf = bySecond((at) => clock.format(Date.parse(at)));
const dateOf = bySecond(exactTime);

function SpanText({ span: { text, style }, pattern }: { span: Span; pattern: RegExp | undefined }) {
  const parts = pattern ? marked(text, pattern) : text;
  return style ? <span style={style as CSSProperties}>{parts}</span> : parts;
}

/** Highlights matches. A match that spans two colours is not highlighted. */
function marked(text: string, pattern: RegExp) {
  const found = [...text.matchAll(new RegExp(pattern, 'gi'))];
  if (!found.length) return text;
  let from = 0;
  const parts = found.flatMap(({ index, 0: match }) => {
    const before = text.slice(from, index);
    from = index + match.length;
    return [
      before,
      <mark key={index} className="rounded-xs bg-rope text-[#0b1216]">
        {match}
      </mark>,
    ];
  });
  return [...parts, text.slice(from)];
}
