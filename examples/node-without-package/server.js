require('node:http')
  .createServer((_, response) => response.end('Hello from Node\n'))
  .listen(process.env.PORT ?? 3000);
