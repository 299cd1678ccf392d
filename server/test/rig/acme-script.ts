import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = { status: number; headers?: Record<string, string>; body: object };

/** A certificate authority that refuses orders as a test demands. It has accounts and nonces, and validates nothing. */
export interface ScriptedAuthority {
  directory: string;
  /** Number of requested orders. */
  orders(): number;
  close(): Promise<void>;
}

export async function scriptedAuthority(onOrder: () => Answer, meta: object = {}): Promise<ScriptedAuthority> {
  let orders = 0;
  let nonces = 0;
  const server = createServer((req, res) => {
    const base = `http://${req.headers.host}`;
    const send = ({ status, headers = {}, body }: Answer) => sendJson(res, status, headers, body);
    res.setHeader('replay-nonce', `nonce-${++nonces}`);
    req.resume();
    const path = req.url!;
    if (path === '/nonce') return void res.writeHead(200).end();
    if (path === '/account') return send({ status: 201, headers: { location: `${base}/account/1` }, body: {} });
    if (path === '/order') {
      orders++;
      return send(onOrder());
    }
    const urls = { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` };
    return send({ status: 200, body: { ...urls, ...meta } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    directory: `http://127.0.0.1:${port}/dir`,
    orders: () => orders,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendJson(res: ServerResponse, status: number, headers: Record<string, string>, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
