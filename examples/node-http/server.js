import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const greeting = process.env.GREETING ?? 'Hello from Mooring';
const port = Number(process.env.PORT ?? 3000);

const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const page = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>node-http</title>
  <style>body { font: 1.1rem/1.5 system-ui; max-width: 34rem; margin: 15vh auto; padding: 0 1rem }</style>
  <h1>${escape(greeting)}</h1>
  <p>This is version <strong>${version}</strong> of a small Node app. Change it, deploy again, and watch this number.</p>
</html>
`;

const answers = {
  '/': [200, 'text/html; charset=utf-8', page],
  '/health': [200, 'text/plain; charset=utf-8', 'ok'],
};

const server = createServer((request, response) => {
  const path = request.url.split('?')[0];
  const [status, type, body] = answers[path] ?? [404, 'text/plain; charset=utf-8', 'not found'];
  response.writeHead(status, { 'content-type': type }).end(body);
});

server.listen(port, process.env.HOST, () => console.log(`version ${version} listens on port ${port}`));

// Requests under way are answered, connections that only wait are closed.
for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, () => {
    console.log(`${signal}: closing`);
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  });
