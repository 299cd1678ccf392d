/** A bollard with a rope around it. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" className="shrink-0">
      <rect width="32" height="32" rx="8" fill="#0d5c7b" />
      <g fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" strokeLinejoin="round">
        <path d="M10 8.5h12M12.5 8.5v14M19.5 8.5v14M8.5 24h15" />
        <path d="M8 15.2c4.2 3.6 11.8 3.6 16 0" stroke="#f3b35f" />
      </g>
    </svg>
  );
}

export function Logo() {
  return (
    <span className="inline-flex items-center gap-2.5">
      <Mark />
      <span className="text-lg font-semibold tracking-tight">Mooring</span>
    </span>
  );
}
