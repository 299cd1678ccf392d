import { request } from 'node:http';
import { ownerToken } from './app.ts';

/** The result of a request; status 0 means no response or a truncated one. */
export interface WholeAnswer {
  status: number;
  code: string | undefined;
  body: Record<string, unknown>;
  ms: number;
}

export type Asked = { method: string; path: string; body?: object; token?: string };

/** Sends a request on its own connection, and detects a truncated response. */
export function askWhole(url: string, { method, path, body, token = ownerToken }: Asked): Promise<WholeAnswer> {
  const began = Date.now();
  const text = body && JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve) => {
    const nothing = (error: Error) =>
      resolve({ status: 0, code: undefined, body: { error: error.message }, ms: Date.now() - began });
    const sent = request(url + path, { method, headers, agent: false }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
      response.once('error', nothing).once('close', () => {
        if (!response.complete) return nothing(new Error('it broke off'));
        const found = (answer.startsWith('{') ? JSON.parse(answer) : {}) as Record<string, unknown>;
        const code = found['code'] as string | undefined;
        return resolve({ status: response.statusCode!, code, body: found, ms: Date.now() - began });
      });
    });
    sent.once('error', nothing).end(text);
  });
}
