import { createServer } from 'node:http';

const port = Number(process.env.PORT ?? 3000);
const server = createServer((request, response) => response.end('ready at last\n'));

// Some apps warm up before they listen; a check has to wait for them.
console.log('warming up for two seconds');
const warmUp = setTimeout(
  () => server.listen(port, process.env.HOST, () => console.log(`listening on port ${port}`)),
  2000,
);

process.once('SIGTERM', () => {
  clearTimeout(warmUp);
  server.close(() => process.exit(0));
  server.closeIdleConnections();
  if (!server.listening) process.exit(0);
});
