import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Failure, Interrupted } from './errors.ts';

/** Whether a person can answer a prompt. */
export const isInteractive = () => process.stdin.isTTY;

/** Prompts on stderr, so that stdout contains only results. */
export async function promptText(question: string, byDefault = '', until?: AbortSignal): Promise<string> {
  const answer = await readLine(`${question}${byDefault ? ` [${byDefault}]` : ''}: `, process.stderr, until);
  return answer.trim() || byDefault;
}

/** Returns true only for `y` or `yes`. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await readLine(`${question} [y/N]: `, process.stderr)).trim());
}

/** Prompts without echoing the input. */
export async function askSecret(question: string): Promise<string> {
  try {
    return await readLine(`${question} (not shown): `, nowhere());
  } finally {
    process.stderr.write('\n');
  }
}

/** Reads a secret from stdin; prompts on a terminal. */
export async function secretFromStdin(question: string): Promise<string> {
  const secret = isInteractive() ? await askSecret(question) : (await text(process.stdin)).replace(/\r?\n$/, '');
  if (!secret) throw new Failure(`no ${question[0]!.toLowerCase()}${question.slice(1)} on standard input`);
  return secret;
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

function readLine(question: string, echo: Writable, until?: AbortSignal): Promise<string> {
  // From here on the terminal echoes nothing, so the prompt comes after it.
  const terminal = createInterface({ input: process.stdin, output: echo, terminal: true, historySize: 0 });
  terminal.setPrompt(question);
  if (echo !== process.stderr) process.stderr.write(question);
  return new Promise<string>((resolve, reject) => {
    terminal.once('line', resolve);
    terminal.once('SIGINT', () => reject(new Interrupted()));
    terminal.once('close', () => reject(new Failure('cancelled')));
    until?.addEventListener('abort', () => terminal.close(), { once: true });
    terminal.prompt();
  }).finally(() => terminal.close());
}
