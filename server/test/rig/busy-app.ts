import { folderOf } from './deploy.ts';

/** `/download` is slow and large enough to be in progress while a release is switched, drained and stopped. */
export const download = { pieces: 50, everyMs: 100, piece: 'all of this must arrive\n' };

type Options = {
  /** Prepended to its program. */
  more?: string;
  /** The app listens once this file exists or this URL responds with success; right away without it. */
  listensWhen?: string;
  scripts?: Record<string, string>;
};

/** An app whose responses contain its version and start time. It accepts bodies, sends slowly, echoes over
 * WebSocket, and shuts down gracefully. */
export const busyApp = (version: string, { more = '', listensWhen = '', scripts = {} }: Options = {}): string =>
  folderOf({
    // Without a start script, `node server.js` runs without npm, whose start takes as long as a small test.
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', main: 'server.js', scripts }),
    'server.js': `${more}
const { createHash } = require('node:crypto');
const { existsSync } = require('node:fs');
const release = ${JSON.stringify(version)} + ' ' + Date.now();
const server = require('node:http').createServer((request, response) => {
  response.setHeader('x-release', release);
  if (request.url === '/download') return sendSlowly(response);
  let body = '';
  request.on('data', (chunk) => (body += chunk)).on('end', () => {
    const answer = () => response.end(${JSON.stringify(version)} + body);
    if (request.url === '/slow') setTimeout(answer, 1500); else answer();
  });
});
function sendSlowly(response) {
  let left = ${download.pieces};
  const timer = setInterval(() => {
    response.write(${JSON.stringify(download.piece)});
    if (--left) return;
    clearInterval(timer);
    response.end();
  }, ${download.everyMs});
}
const open = new Set();
server.on('upgrade', (request, socket) => {
  const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n' +
    'X-Release: ' + release + '\\r\\nSec-WebSocket-Accept: ' + accept.digest('base64') + '\\r\\n\\r\\n');
  open.add(socket);
  socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy());
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 6 && bytes.length >= 6 + (bytes[1] & 127)) {
      const [kind, length] = [bytes[0] & 15, bytes[1] & 127];
      const text = Buffer.from(bytes.subarray(6, 6 + length)).map((byte, i) => byte ^ bytes[2 + (i & 3)]);
      bytes = bytes.subarray(6 + length);
      socket.write(Buffer.concat([Buffer.from([128 | kind, length]), text]));
      if (kind === 8) socket.end();
    }
  });
});
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  for (const socket of open) socket.end(Buffer.from([136, 2, 3, 233]));
});
const listen = () => server.listen(process.env.PORT, process.env.HOST, () => console.log('listening, version ${version}'));
const gate = ${JSON.stringify(listensWhen)};
if (!gate) listen();
else {
  const isOpen = async () => gate.startsWith('http') ? (await fetch(gate).catch(() => ({}))).ok : existsSync(gate);
  const wait = async () => ((await isOpen()) ? listen() : setTimeout(wait, 20));
  void wait();
}`,
  });
