import { z } from 'zod';
import { Exchange } from '../../../drivers/githost/github/exchange.ts';
import { AppError } from '../../../errors.ts';
import type { Reach } from '../../../lib/outbound.ts';

/** Says where a browser is sent to connect an account of the git host, for an instance without an app and client of its own. */
export interface ConnectUrls {
  /** `returnUrl`: where the browser goes when it is done. */
  connectUrl(wanted: { source: 'app' | 'oauth'; returnUrl: string }): Promise<string>;
  close(): void;
}

type Options = { url: string; token: string; reach: Reach; deadlineMs: number };

const maxBytes = 64 << 10;
const answered = z.object({ url: z.url({ protocol: /^https?$/ }).max(4000) });

/** The hosted cloud that the instance is linked to. */
export function cloudConnectUrls({ url, token, reach, deadlineMs }: Options): ConnectUrls {
  const exchange = new Exchange({ reach, ca: undefined });
  return {
    async connectUrl(wanted) {
      const { status, body } = await exchange
        .send({
          method: 'POST',
          url: new URL('/api/cloud/githost/connect', url),
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(wanted),
          maxBytes,
          signal: AbortSignal.timeout(deadlineMs),
          isAlone: true,
        })
        .catch((error: unknown) => {
          throw unreachable('does not answer', error);
        });
      if (status === 401 || status === 403)
        throw new AppError('not_configured', 'the cloud does not accept the link; check MOORING_CLOUD_TOKEN');
      if (status >= 400 && status < 500)
        throw new AppError('not_configured', 'the cloud cannot connect the git host for this instance');
      return urlIn(status, body);
    },
    close: () => exchange.close(),
  };
}

function urlIn(status: number, body: string): string {
  if (status !== 200) throw unreachable(`answers with status ${status}`);
  try {
    return answered.parse(JSON.parse(body)).url;
  } catch (error) {
    throw unreachable('answers something that we do not understand', error);
  }
}

const unreachable = (what: string, cause?: unknown) =>
  new AppError('cloud_unreachable', 'cloud_unreachable', {
    message: `the cloud that this instance is linked to ${what}; try again, or set up an app or OAuth client of your own`,
    cause,
  });
