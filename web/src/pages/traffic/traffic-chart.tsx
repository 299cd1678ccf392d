import type { Traffic } from '../../api.ts';
import { exactTime } from '../../times.ts';
import { statusKinds } from './status-mix.tsx';
import { countOf } from './counts.ts';

type Point = Traffic['points'][number];
type Step = { at: number; point: Point | undefined };

const height = 100;
const barWidth = 0.8;

/** Requests over time, one bar for each step, stacked by status class. */
export function TrafficChart({ traffic }: { traffic: Traffic }) {
  const steps = stepsOf(traffic);
  const most = Math.max(1, ...traffic.points.map(({ requests }) => requests));
  const busiest = traffic.points.find(({ requests }) => requests === most);
  const summary = `Requests over time, with a peak of ${countOf(most)} at ${busiest ? exactTime(busiest.at) : '–'}`;
  return (
    <figure>
      <figcaption className="mb-1 flex justify-between text-xs text-muted">
        <span>Requests {perOf(traffic.stepSeconds)}</span>
        <span className="tabular-nums">peak {countOf(most)}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={summary}
        viewBox={`0 0 ${steps.length} ${height}`}
        preserveAspectRatio="none"
        className="h-36 w-full rounded-sm border-b border-line-strong"
      >
        {steps.map((step, index) => (
          <Bar key={step.at} step={step} x={index} most={most} />
        ))}
      </svg>
      <div className="mt-1 flex justify-between text-xs text-muted">
        <span>{exactTime(traffic.from)}</span>
        <span>Now</span>
      </div>
    </figure>
  );
}

/** The hover target has the full height, so that small bars work too. */
function Bar({ step: { at, point }, x, most }: { step: Step; x: number; most: number }) {
  const when = exactTime(new Date(at).toISOString());
  let top = height;
  return (
    <g className="hover:opacity-70">
      <title>{`${when}: ${point ? wordsOf(point) : 'no requests'}`}</title>
      <rect x={x} width={1} height={height} fill="transparent" />
      {point &&
        statusKinds.map(({ kind, fill }) => {
          const size = (point.statuses[kind] / most) * height;
          top -= size;
          return size > 0 && <rect key={kind} x={x} y={top} width={barWidth} height={size} className={fill} />;
        })}
    </g>
  );
}

const wordsOf = ({ requests, statuses }: Point): string => {
  const failed = statuses['5xx'];
  return `${countOf(requests)} ${requests === 1 ? 'request' : 'requests'}${failed ? `, ${countOf(failed)} server ${failed === 1 ? 'error' : 'errors'}` : ''}`;
};

/** Every step of the time range: the API omits those without requests. */
function stepsOf({ from, to, stepSeconds, points }: Traffic): Step[] {
  const [first, stepMs] = [Date.parse(from), stepSeconds * 1000];
  const known = new Map(points.map((point) => [Date.parse(point.at), point]));
  const length = Math.max(1, Math.floor((Date.parse(to) - first) / stepMs) + 1);
  return Array.from({ length }, (_, index) => {
    const at = first + index * stepMs;
    return { at, point: known.get(at) };
  });
}

const minute = 60;
const hour = 60 * minute;
const perOf = (seconds: number): string => {
  const [size, unit] = seconds < hour ? [minute, 'minute'] : [hour, 'hour'];
  const many = seconds / size;
  return many === 1 ? `per ${unit}` : `per ${many} ${unit}s`;
};
