const app = require('fastify')();

app.get('/', async () => 'Hello from Yarn\n');
void app.listen({ port: Number(process.env.PORT ?? 3000), host: '0.0.0.0' });
