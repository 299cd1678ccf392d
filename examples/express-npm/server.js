const express = require('express');

const app = express();
app.get('/', (_request, response) => response.send(`Hello from Express on Node ${process.versions.node}`));
app.listen(process.env.PORT ?? 3000, process.env.HOST);
