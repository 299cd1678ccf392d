export function Spinner({ size = 20 }: { size?: number }) {
  return (
    <svg
      viewBox="0 0 20 20"
      width={size}
      height={size}
      aria-hidden="true"
      className="shrink-0 animate-spin"
      fill="none"
      strokeWidth="2.4"
    >
      <circle cx="10" cy="10" r="7.5" stroke="currentColor" opacity="0.25" />
      <path d="M17.5 10A7.5 7.5 0 0 0 10 2.5" stroke="currentColor" strokeLinecap="round" />
    </svg>
  );
}
