import { hash } from 'node:crypto';

/** Page shown after the callback. */
export interface PageContent {
  status: 200 | 400;
  title: string;
  /** Plain text. */
  lines: string[];
  /** Link to continue. */
  go?: { url: string; label: string };
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto 0;padding:0 1.5rem;color:#1a1a1a;background:#fff}
h1{font-size:1.4rem}a{color:#0b57d0}@media (prefers-color-scheme:dark){body{color:#e8e8e8;background:#161616}a{color:#8ab4f8}}`;

/** Allows nothing but the inline style above. */
export const resultPagePolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Renders only our own or escaped text, and nothing from the query. */
export const resultPage = ({ title, lines, go }: PageContent, back = '/'): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)} · Mooring</title><style>${style}</style></head>
<body><main><h1>${text(title)}</h1>${lines.map((line) => `<p>${text(line)}</p>`).join('')}${go ? `<p><a href="${text(go.url)}"><b>${text(go.label)}</b></a></p>` : ''}<p><a href="${text(back)}">Back to Mooring</a></p></main></body></html>`;

const text = (raw: string): string => raw.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const again = 'Go back to Mooring and connect again.';

export const failurePage = (title: string, ...lines: string[]): PageContent => ({
  status: 400,
  title,
  lines: [...lines, again],
});

export const connectedPage = (...lines: string[]): PageContent => ({
  status: 200,
  title: 'Connected',
  lines: [...lines, 'You can close this page.'],
});
