require('express')()
  .get('/', (_, response) => response.send('Hello from Lerna\n'))
  .listen(process.env.PORT ?? 3000);
