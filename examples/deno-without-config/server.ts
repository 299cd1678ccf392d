Deno.serve(() => new Response('Hello from Deno\n'));
