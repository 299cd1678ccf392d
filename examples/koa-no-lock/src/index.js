const Koa = require('koa');

new Koa().listen(process.env.PORT);
