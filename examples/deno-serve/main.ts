Deno.serve({ port: Number(Deno.env.get('PORT') ?? 8000) }, () => new Response('Hello from Deno\n'));
