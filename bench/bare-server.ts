import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const body = process.env['BODY'] ?? '';
const length = Buffer.byteLength(body);

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', length);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`at http://127.0.0.1:${(server.address() as AddressInfo).port}`));
