import { Worker } from 'node:worker_threads';
import { limitConcurrency } from '../../lib/concurrency.ts';
import type { KeyAnswer } from './key-thread.ts';
import { type KeyText, openedKey, type OpenedKey } from './opened-key.ts';
import { SshError } from './ssh.ts';

// Maximum bcrypt rounds of a passphrase, about 20 ms each. ssh-keygen defaults to 16 or 24, and careful users choose
// 100.
const mostRounds = 128;
const openMs = 15_000;
// Each takes a CPU core.
const someAtOnce = limitConcurrency(2);
// The bundle has it as a module beside this one.
const thread = new URL(import.meta.filename.endsWith('.ts') ? './key-thread.ts' : './key-thread.js', import.meta.url);

/** Decrypts a user's private key; `bad_key` if it is invalid or cannot be opened. A slow one is opened in a thread,
 * so that it blocks nothing else. */
export async function openPrivateKey(text: string, passphrase: string | undefined): Promise<OpenedKey> {
  const rounds = roundsOf(text);
  if (rounds > mostRounds)
    throw unreadable(`its passphrase uses ${rounds} rounds; at most ${mostRounds} are supported (ssh-keygen -p -a 16)`);
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
      reject(unreadable('decrypting it takes too long'));
    });
  });
}

const unreadable = (why: string) => new SshError('bad_key', `the private key cannot be read: ${why}`);

/** Reads the rounds from the `openssh-key-v1` header; 0 for another format or without a passphrase. */
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
