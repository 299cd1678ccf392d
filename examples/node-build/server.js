import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// Read once: what was built is what runs. Without a build there is nothing to serve, and the start fails.
const built = readFileSync(new URL('dist/version.txt', import.meta.url), 'utf8');
const port = Number(process.env.PORT ?? 3000);

const server = createServer((request, response) => {
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(request.url === '/health' ? 'ok' : built);
});

server.listen(port, process.env.HOST, () => console.log(`listening on port ${port}`));

process.once('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
