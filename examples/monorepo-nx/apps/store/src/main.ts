import { createServer } from 'node:http';

createServer((_, response) => response.end('The store is open\n')).listen(Number(process.env.PORT ?? 3000));
