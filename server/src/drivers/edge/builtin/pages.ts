import type { IncomingMessage, ServerResponse } from 'node:http';

export type PageName =
  | 'bad_request'
  | 'misdirected'
  | 'not_deployed'
  | 'not_found'
  | 'not_allowed'
  | 'no_answer'
  | 'busy'
  | 'restarting'
  | 'too_slow'
  | 'slow_body'
  | 'too_many';

const pages: Record<PageName, { status: number; title: string; text: string }> = {
  bad_request: { status: 400, title: 'Bad request', text: 'The request is not valid.' },
  not_deployed: { status: 404, title: 'Nothing here', text: 'Nothing is deployed at this address.' },
  not_found: { status: 404, title: 'Not found', text: 'There is no page at this address.' },
  not_allowed: { status: 405, title: 'Not allowed', text: 'This address accepts GET and HEAD requests only.' },
  slow_body: { status: 408, title: 'Too slow', text: 'The request did not arrive in time.' },
  misdirected: { status: 421, title: 'Wrong connection', text: 'This connection belongs to another domain.' },
  too_many: { status: 429, title: 'Too many requests', text: 'Your IP address has too many open requests.' },
  no_answer: { status: 502, title: 'No answer', text: 'The app does not respond. Try again in a moment.' },
  busy: { status: 503, title: 'Busy', text: 'The app is at its limit. Try again in a moment.' },
  restarting: {
    status: 503,
    title: 'Mooring does not respond',
    text: 'It may be restarting. Try again in a moment. Deployed apps keep serving.',
  },
  too_slow: { status: 504, title: 'Gateway timeout', text: 'The app took too long to respond.' },
};

/** Sends an error page of the edge itself. It reveals nothing about the app behind. */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  name: PageName,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const { status, title, text } = pages[name];
  const asJson = prefersJson(request.headers.accept);
  const body = asJson ? JSON.stringify({ success: false, error: text, code: name }) : html(status, title, text);
  response.writeHead(status, {
    'Content-Type': asJson ? 'application/json; charset=utf-8' : 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'X-Content-Type-Options': 'nosniff',
    ...([429, 502, 503].includes(status) && { 'Retry-After': '2' }),
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function prefersJson(accept = ''): boolean {
  const json = accept.search(/\bapplication\/(?:[\w.-]+\+)?json\b/i);
  const page = accept.search(/\btext\/html\b/i);
  return json >= 0 && (page < 0 || json < page);
}

const html = (status: number, title: string, text: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${escape(title)}</title><style>
:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;
font:16px/1.5 system-ui,sans-serif;padding:1.5rem;box-sizing:border-box}p{margin:.25rem 0}.status{opacity:.6}
h1{font-size:1.5rem;margin:.25rem 0}</style></head><body><main><p class="status">${status}</p><h1>${escape(title)}</h1>
<p>${escape(text)}</p></main></body></html>
`;

const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
