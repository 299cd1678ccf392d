import type { ReactNode } from 'react';

// Drawn on a grid of 20 with one stroke width, to align with text.
const drawings = {
  overview: <path d="M3 9.2 10 3.5l7 5.7V16a1 1 0 0 1-1 1h-3.5v-5h-5v5H4a1 1 0 0 1-1-1z" />,
  members: (
    <path d="M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2 16.5c0-2.8 2.4-4.5 5.5-4.5s5.5 1.7 5.5 4.5M13 3.8a3 3 0 0 1 0 5.4M15 12.4c1.8.6 3 2 3 4.1" />
  ),
  key: (
    <path d="M12.8 11.2a4 4 0 1 0-4-4c0 .6.1 1.1.3 1.6L3 15v2h3v-2h2v-2h1.5l1.7-2.1c.5.2 1 .3 1.6.3ZM13.6 6.3h.01" />
  ),
  audit: <path d="M5 3h8l3 3v10a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1ZM7.5 8h5M7.5 11h5M7.5 14h3" />,
  organization: (
    <path d="M4 17V4.5a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1V17M12 8h3a1 1 0 0 1 1 1v8M2.5 17h15M7 7h2M7 10h2M7 13h2" />
  ),
  git: (
    <path d="M6 7.5v5M6 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6 16.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM14 9.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM14 9.5c0 2.6-3.2 2.4-6.6 3.4" />
  ),
  registry: <path d="M7 9.5v-6h6v6zM3.5 16.5v-6h6v6zM10.5 16.5v-6h6v6z" />,
  backup: (
    <path d="M3 4h14a.5.5 0 0 1 .5.5v2.5a.5.5 0 0 1-.5.5H3a.5.5 0 0 1-.5-.5V4.5a.5.5 0 0 1 .5-.5ZM3.8 7.5V16a.8.8 0 0 0 .8.8h10.8a.8.8 0 0 0 .8-.8V7.5M10 14.5v-4.5M7.9 12l2.1-2.1L12.1 12" />
  ),
  history: <path d="M3.2 10a6.8 6.8 0 1 0 2-4.8L3 7.4M3 3.6v3.8h3.8M10 6.4V10l2.6 1.8" />,
  search: <path d="M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM13 13l4 4" />,
  server: (
    <path d="M4 3.5h12a1 1 0 0 1 1 1v4a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-4a1 1 0 0 1 1-1ZM4 10.5h12a1 1 0 0 1 1 1v4a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-4a1 1 0 0 1 1-1ZM6.2 6.5h.01M6.2 13.5h.01M9 6.5h5M9 13.5h5" />
  ),
  globe: (
    <path d="M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM3.2 8h13.6M3.2 12h13.6M10 3c-2 2-2.8 4.3-2.8 7s.8 5 2.8 7c2-2 2.8-4.3 2.8-7S12 5 10 3Z" />
  ),
  cloud: <path d="M6 15.5a3.5 3.5 0 0 1-.4-7 4.6 4.6 0 0 1 8.9-.6 3.8 3.8 0 0 1-.3 7.6Z" />,
  project: <path d="M3 6.5 10 3l7 3.5v7L10 17l-7-3.5zM3 6.5l7 3.5 7-3.5M10 10v7" />,
  volume: (
    <path d="M10 8c3.9 0 6.5-1 6.5-2.4S13.9 3.2 10 3.2 3.5 4.2 3.5 5.6 6.1 8 10 8ZM3.5 5.6v8.8c0 1.4 2.6 2.4 6.5 2.4s6.5-1 6.5-2.4V5.6M3.5 10c0 1.4 2.6 2.4 6.5 2.4s6.5-1 6.5-2.4" />
  ),
  branch: (
    <path d="M6 5.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM6 18.1a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM14 8.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM6 5.5v9M14 8.5c0 3-8 1.5-8 5" />
  ),
  folder: <path d="M3 15.5v-10a1 1 0 0 1 1-1h3.6l2 2.2H16a1 1 0 0 1 1 1v7.8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1Z" />,
  file: <path d="M5.5 3h6L15 6.5V16a1 1 0 0 1-1 1H5.5a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1ZM11 3v4h4" />,
  download: <path d="M10 3.5v9M6 9l4 4 4-4M4 16.5h12" />,
  traffic: <path d="M3.5 16.5h13M5.5 13.5v-4M10 13.5v-9M14.5 13.5V8" />,
  person: <path d="M10 10a3.3 3.3 0 1 0 0-6.6 3.3 3.3 0 0 0 0 6.6ZM3.5 17c0-3 2.8-4.8 6.5-4.8s6.5 1.8 6.5 4.8" />,
  book: (
    <path d="M10 5.5C8.5 4.3 6.3 3.8 3 3.8v11c3.3 0 5.5.5 7 1.7 1.5-1.2 3.7-1.7 7-1.7v-11c-3.3 0-5.5.5-7 1.7Zm0 0v11" />
  ),
  plus: <path d="M10 4v12M4 10h12" />,
  minus: <path d="M4 10h12" />,
  more: <path d="M4.5 10h.01M10 10h.01M15.5 10h.01" strokeWidth="2.6" />,
  check: <path d="m4 10.5 4 4 8-9" />,
  copy: (
    <path d="M7.5 7.5h8a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1zM12.5 7.5v-3a1 1 0 0 0-1-1h-7a1 1 0 0 0-1 1v7a1 1 0 0 0 1 1h3" />
  ),
  close: <path d="m5 5 10 10M15 5 5 15" />,
  chevrons: <path d="m6.5 8 3.5-3.5L13.5 8M6.5 12l3.5 3.5 3.5-3.5" />,
  down: <path d="m5.5 8 4.5 4.5L14.5 8" />,
  up: <path d="M5.5 12 10 7.5l4.5 4.5" />,
  right: <path d="m8 5.5 4.5 4.5L8 14.5" />,
  external: <path d="M8 5H5a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-3M11.5 4H16v4.5M16 4l-6.5 6.5" />,
  pin: <path d="M7 3.5h6M8 3.5v5L5.5 12h9L12 8.5v-5M10 12v5" />,
  menu: <path d="M3.5 6h13M3.5 10h13M3.5 14h13" />,
  warning: <path d="M10 3.5 2.8 16a.5.5 0 0 0 .4.8h13.6a.5.5 0 0 0 .4-.8ZM10 8.3v3.4M10 14.2h.01" />,
  out: <path d="M8 17H4.5a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1H8M12.5 13.5 16 10l-3.5-3.5M16 10H7.5" />,
  system: <path d="M3.5 4h13a1 1 0 0 1 1 1v7.5a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1ZM7 16.5h6M10 13.5v3" />,
  light: (
    <path d="M10 13.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4ZM10 2.5v1.5M10 16v1.5M2.5 10H4M16 10h1.5M4.7 4.7l1 1M14.3 14.3l1 1M4.7 15.3l1-1M14.3 5.7l1-1" />
  ),
  dark: <path d="M16.5 11.8A7 7 0 0 1 8.2 3.5a7 7 0 1 0 8.3 8.3Z" />,
  shown: (
    <path d="M2 10s2.8-5.3 8-5.3S18 10 18 10s-2.8 5.3-8 5.3S2 10 2 10Zm8 2.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6Z" />
  ),
  hidden: (
    <path d="M3 3l14 14M8.2 4.9c.6-.1 1.2-.2 1.8-.2 5.2 0 8 5.3 8 5.3a13 13 0 0 1-2.3 2.9M12.3 14.9c-.7.3-1.5.4-2.3.4-5.2 0-8-5.3-8-5.3a13 13 0 0 1 3.7-4M8.4 8.4a2.3 2.3 0 0 0 3.2 3.2" />
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof drawings;

/** Decorative and hidden from screen readers; an icon-only button needs its own label. */
export function Icon({ name, size = 18, className = '' }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      viewBox="0 0 20 20"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
    >
      {drawings[name]}
    </svg>
  );
}
