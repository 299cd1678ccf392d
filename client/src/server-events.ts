export type ServerEvent = { id: number; type: string; data: Record<string, unknown> };

/** Parses a `text/event-stream`, as far as our service uses the format. Drops a truncated event. */
export async function* serverEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const event = parsed(block);
      if (event) yield event;
    }
  }
}

function parsed(block: string): ServerEvent | undefined {
  const fields = new Map(
    block
      .split('\n')
      .filter((line) => !line.startsWith(':'))
      .map((line) => /^(\w+): ?(.*)$/s.exec(line))
      .filter((match) => match !== null)
      .map(([, name = '', value = '']) => [name, value]),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return {
    id: Number(fields.get('id')),
    type: fields.get('event') ?? 'message',
    data: JSON.parse(data) as Record<string, unknown>,
  };
}
