const pieceBytes = 512 * 1024;

/** Regroups a stream into pieces of `pieceBytes`; the last one may be shorter. */
export async function* inPieces(stream: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    waiting.push(chunk);
    length += chunk.length;
    if (length < pieceBytes) continue;
    const all = Buffer.concat(waiting);
    for (; length >= pieceBytes; length -= pieceBytes)
      yield all.subarray(all.length - length, all.length - length + pieceBytes);
    waiting = length ? [all.subarray(all.length - length)] : [];
  }
  if (length) yield Buffer.concat(waiting);
}
