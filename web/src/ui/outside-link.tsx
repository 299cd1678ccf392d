import type { ReactNode } from 'react';

const isWeb = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '');

/** A link out of the dashboard, in a new tab. What is no address of the web is shown and leads nowhere. */
export function OutsideLink({ url, children = url }: { url: string; children?: ReactNode }) {
  if (!isWeb(url)) return <span className="[overflow-wrap:anywhere]">{children}</span>;
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="rounded text-accent [overflow-wrap:anywhere] hover:underline"
    >
      {children}
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}
