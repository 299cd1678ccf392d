import express from 'express';

express()
  .get('/', (_, response) => void response.send('Hello from Express\n'))
  .listen(Number(process.env.PORT ?? 3000));
