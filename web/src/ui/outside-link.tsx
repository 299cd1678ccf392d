import type { ReactNode } from 'react';

const isWeb = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '');

/** An external link, in a new tab. Anything but a web address is shown as text. */
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
