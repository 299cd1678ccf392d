import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Some tests expect a 4xx of the API, which the browser reports as an error. It also drops its requests when a network
 * of Docker appears or disappears on the machine, as other tests make them do.
 */
const expectedErrors = /the server responded with a status of 4\d\d|net::ERR_NETWORK_CHANGED/;

export interface Visitor {
  page: Page;
  /** Console errors and requests to other hosts, which a page must not have. */
  complaints: string[];
  close(): Promise<void>;
}

export const startBrowser = (more: string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: [...args, ...more] });

/** Opens a fresh browser context: no cookies, no storage. */
export async function visit(
  browser: Browser,
  origin: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Visitor> {
  const context: BrowserContext = await browser.newContext({
    colorScheme,
    baseURL: origin,
    viewport: { width: 1200, height: 800 },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !expectedErrors.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
      complaints.push(`asked ${request.url()}`);
  });
  return { page, complaints, close: () => context.close() };
}
