// Minimal PostgreSQL and Redis clients with one connection per query.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = Number(process.env.PATIENCE_MS ?? 0);

/** Retries while the other side is unavailable, up to the configured time. */
async function patiently(attempt) {
  for (const end = Date.now() + patienceMs; ; await sleep(100))
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() >= end || error.isFinal) throw error;
    }
}

/** Passes everything that arrives to `read`, until that calls `done` or `fail`. */
const talk = (host, port, begin, read) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(begin));
    const over = (settle) => (value) => {
      socket.destroy();
      settle(value);
    };
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      bytes = read(Buffer.concat([bytes, chunk]), socket, over(resolve), over(reject));
    });
    socket.on('error', reject).on('close', () => reject(new Error(`${host} has hung up`)));
  });

const int32 = (value) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);

function startup() {
  const words = Buffer.from('user\0shop\0database\0postgres\0\0');
  return Buffer.concat([int32(words.length + 8), int32(196_608), words]);
}

function rowOf(body) {
  const values = [];
  for (let at = 2, left = body.readInt16BE(0); left > 0; left--) {
    const length = body.readInt32BE(at);
    values.push(length < 0 ? null : body.toString('utf8', at + 4, at + 4 + length));
    at += 4 + Math.max(length, 0);
  }
  return values;
}

function failureOf(body) {
  const fields = Object.fromEntries(
    body
      .toString('utf8')
      .split('\0')
      .map((field) => [field[0], field.slice(1)]),
  );
  // An error in the query is permanent.
  return Object.assign(new Error(fields.M), { isFinal: fields.C.startsWith('42') });
}

/** Returns the rows, each as a list of texts. */
const ask = (sql) => {
  const text = Buffer.from(`${sql}\0`);
  const question = Buffer.concat([Buffer.from('Q'), int32(text.length + 4), text]);
  const rows = [];
  let isAsked = false;
  return talk('postgres', 5432, startup(), (bytes, socket, done, fail) => {
    while (bytes.length >= 5 && bytes.length > bytes.readInt32BE(1)) {
      const [kind, end] = [String.fromCharCode(bytes[0]), bytes.readInt32BE(1) + 1];
      const body = bytes.subarray(5, end);
      bytes = bytes.subarray(end);
      if (kind === 'D') rows.push(rowOf(body));
      if (kind === 'E') fail(failureOf(body));
      if (kind === 'Z' && isAsked) done(rows);
      else if (kind === 'Z') isAsked = socket.write(question) || true;
    }
    return bytes;
  });
};

/** One reply and its end, or undefined while it is incomplete. */
function replyIn(bytes, from = 0) {
  const lineEnd = bytes.indexOf('\r\n', from);
  if (lineEnd < 0) return undefined;
  const [kind, line] = [String.fromCharCode(bytes[from]), bytes.toString('utf8', from + 1, lineEnd)];
  let end = lineEnd + 2;
  if (kind === '$' && line !== '-1') {
    const valueEnd = end + Number(line);
    return bytes.length < valueEnd + 2
      ? undefined
      : { value: bytes.toString('utf8', end, valueEnd), end: valueEnd + 2 };
  }
  if (kind !== '*' || line === '-1')
    return { value: ['$', '*'].includes(kind) ? null : line, end, isError: kind === '-' };
  const value = [];
  while (value.length < Number(line)) {
    const each = replyIn(bytes, end);
    if (!each) return undefined;
    value.push(each.value);
    end = each.end;
  }
  return { value, end };
}

const tell = (words) => {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return talk('redis', 6379, `*${words.length}\r\n${parts.join('')}`, (bytes, _, done, fail) => {
    const reply = replyIn(bytes);
    if (reply?.isError) fail(new Error(reply.value));
    else if (reply) done(reply.value);
    return bytes;
  });
};

export const postgres = (sql) => patiently(() => ask(sql));
export const redis = (...words) => patiently(() => tell(words));
