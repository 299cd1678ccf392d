import { Worker } from 'node:worker_threads';
import { limitConcurrency } from '../../lib/concurrency.ts';
import type { KeyAnswer } from './key-thread.ts';
import { type KeyText, openedKey, type OpenedKey } from './opened-key.ts';
import { SshError } from './ssh.ts';

// A passphrase is turned into a key by so many rounds of bcrypt, about 20 ms each. What ssh-keygen uses by itself is 16 or
// 24, and careful people ask for 100.
const mostRounds = 128;
const openMs = 15_000;
// Each takes a core while it lasts.
const someAtOnce = limitConcurrency(2);
// Bundled it lies beside, as a module like this one.
const thread = new URL(import.meta.filename.endsWith('.ts') ? './key-thread.ts' : './key-thread.js', import.meta.url);

/** A private key as somebody gave it to us, without its passphrase; `bad_key` for what is none, or cannot be opened. One
 * that takes long is opened in a thread of its own, and nothing else waits for it. */
export async function openPrivateKey(text: string, passphrase: string | undefined): Promise<OpenedKey> {
  const rounds = roundsOf(text);
  if (rounds > mostRounds)
    throw unreadable(`its passphrase takes ${rounds} rounds, and at most ${mostRounds} are done (ssh-keygen -p -a 16)`);
  const isSlow = rounds > 0 && passphrase !== undefined;
  const answer = isSlow ? await someAtOnce(() => inThread({ text, passphrase })) : openedKey({ text, passphrase });
  if ('why' in answer) throw unreadable(answer.why);
  return answer;
}

function inThread(key: KeyText): Promise<KeyAnswer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(thread, { workerData: key, env: {}, resourceLimits: { maxOldGenerationSizeMb: 64 } });
    const timer = setTimeout(() => void worker.terminate(), openMs);
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      clearTimeout(timer);
      reject(unreadable('opening it takes too long'));
    });
  });
}

const unreadable = (why: string) => new SshError('bad_key', `the private key cannot be read: ${why}`);

/** From the head of the format `openssh-key-v1`; 0 for a key in another one, or without a passphrase. */
function roundsOf(text: string): number {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+)-----END/.exec(text)?.[1];
  const bytes = Buffer.from(body ?? '', 'base64');
  let at = 'openssh-key-v1\0'.length;
  const field = () => {
    if (at + 4 > bytes.length) return Buffer.alloc(0);
    const begin = at + 4;
    at = begin + bytes.readUInt32BE(at);
    return bytes.subarray(begin, at);
  };
  const [, method, options] = [field(), field().toString(), field()];
  if (method !== 'bcrypt' || options.length < 4) return 0;
  const afterSalt = 4 + options.readUInt32BE(0);
  return afterSalt + 4 > options.length ? 0 : options.readUInt32BE(afterSalt);
}
