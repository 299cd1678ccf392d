import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { isSigned } from '../server/src/drivers/githost/github/webhooks/signature.ts';

const secrets = [process.env['SECRET'] ?? ''];

const server = createServer((request, response) => {
  void buffer(request).then((body) => {
    const status = isSigned(body, request.headers['x-hub-signature-256'], secrets) ? 202 : 401;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
});
server.listen(0, '127.0.0.1', () => console.log(`at http://127.0.0.1:${(server.address() as AddressInfo).port}`));
