Bun.serve({ port: Number(process.env.PORT ?? 3000), fetch: () => new Response('Hello from Bun\n') });
