/** A seeded generator, so that a failure can be repeated. */
export function randomOf(seed: number) {
  let state = seed;
  const below = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
  return { below, pick: <T>(all: readonly T[]): T => all[below(all.length)]! };
}

type Random = ReturnType<typeof randomOf>;

const bodyBytes = [97, 98, 13, 10, 48, 255];

/** Returns a valid response. */
export function responseBytes(random: Random, method: string): Buffer {
  const { below, pick } = random;
  const body = Buffer.from(Array.from({ length: pick([0, 1, 10, 80]) }, () => pick(bodyBytes)));
  const status = pick(['200 OK', '200', '404 Not Found', '500 ', '204 No Content', '304 Not Modified', '299 \xe9']);
  const headers = Array.from({ length: below(6) }, (_, i) =>
    pick([`X-${i}: ${'v'.repeat(below(50))}`, `x_${i}:a\tb`, `Set-Cookie:  a=${i}  `, 'Date: now', 'X-Inner: 1', 'E:']),
  );
  headers.push(
    ...pick([[], ['Connection: close'], ['Connection: keep-alive', 'Keep-Alive: timeout=5'], ['Connection: x-inner']]),
  );
  const head = (framing: string[]) =>
    Buffer.from(
      `HTTP/1.${pick(['0', '1', '1', '1'])} ${status}\r\n${[...headers, ...framing].map((line) => `${line}\r\n`).join('')}\r\n`,
      'latin1',
    );
  const interim = Buffer.from(pick(['', '', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early\r\nLink: x\r\n\r\n']));
  const kind = method === 'HEAD' || /^[23]04/.test(status) ? 'none' : pick(['length', 'chunked', 'close']);
  if (kind === 'none') return Buffer.concat([interim, head([])]);
  if (kind === 'length') return Buffer.concat([interim, head([`Content-Length: ${body.length}`]), body]);
  if (kind === 'close') return Buffer.concat([interim, head([]), body]);
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const piece = body.subarray(at, at + 1 + below(pick([3, 100, 4000])));
    chunks.push(Buffer.from(`${pick(['', '00'])}${piece.length.toString(16)}${pick(['', ';a=b', ';a'])}\r\n`), piece);
    chunks.push(Buffer.from('\r\n'));
    at += piece.length;
  }
  const trailers = pick(['', '', 'X-Sum: 1\r\n', 'X-Sum: 1\r\nX-More: 2\r\n']);
  const last = Buffer.from(`0\r\n${trailers}\r\n`);
  return Buffer.concat([interim, head([`Transfer-Encoding: ${pick(['chunked', 'Chunked'])}`]), ...chunks, last]);
}

/** Changes, removes, doubles or inserts a few bytes, mostly in the head. */
export function brokenBytes(bytes: Buffer, { below, pick }: Random): Buffer {
  let text = bytes.toString('latin1');
  for (let changes = 1 + below(2); changes > 0; changes--) {
    const at = below(pick([text.length, Math.min(text.length, 120)]) || 1);
    const more = pick([
      '\r',
      '\n',
      '\r\n',
      '\0',
      ' ',
      ':',
      ',',
      '0',
      'f',
      'chunked',
      '\xff',
      'Content-Length: 3\r\n',
      ';',
    ]);
    const cut = at + pick([0, 0, 1, 2, 10]);
    text = text.slice(0, at) + pick([more, '', text.slice(at, cut)]) + text.slice(cut);
  }
  return Buffer.from(text, 'latin1');
}
