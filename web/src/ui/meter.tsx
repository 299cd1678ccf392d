type Props = {
  title: string;
  used: number;
  /** Null means unlimited. */
  limit: number | null;
  show?: (amount: number) => string;
  note?: string | undefined;
};

/** The usage of a limit, in words and as a bar. */
export function Meter({ title, used, limit, show = String, note }: Props) {
  const share = limit === null || limit === 0 ? 0 : Math.min(used / limit, 1);
  return (
    <div>
      <p className="flex flex-wrap justify-between gap-x-4">
        <span>{title}</span>
        <span className="text-muted tabular-nums">
          {limit === null ? `${show(used)}, no limit` : `${show(used)} of ${show(limit)}`}
        </span>
      </p>
      {limit !== null && (
        <div className="mt-1.5 h-2 overflow-hidden rounded-full bg-sunken" aria-hidden="true">
          <div
            className={`h-full rounded-full ${share >= 0.9 ? 'bg-warn' : 'bg-accent'}`}
            style={{ width: `${share * 100}%` }}
          />
        </div>
      )}
      {note && <p className="mt-1.5 text-sm text-muted">{note}</p>}
    </div>
  );
}
