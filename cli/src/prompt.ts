import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Failure, Interrupted } from './errors.ts';

/** Whether somebody is there to answer a question. */
export const isInteractive = () => process.stdin.isTTY;

/** Asks on stderr, so that stdout stays clean for results. */
export async function ask(question: string, byDefault = '', until?: AbortSignal): Promise<string> {
  const answer = await readLine(`${question}${byDefault ? ` [${byDefault}]` : ''}: `, process.stderr, until);
  return answer.trim() || byDefault;
}

/** A question that only `y` or `yes` agrees to. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await readLine(`${question} [y/N]: `, process.stderr)).trim());
}

/** Asks for something that must not appear on the screen. */
export async function askSecret(question: string): Promise<string> {
  try {
    return await readLine(`${question} (not shown): `, nowhere());
  } finally {
    process.stderr.write('\n');
  }
}

/** A secret that a program hands over on stdin; on a terminal the person is asked instead. */
export async function secretFromStdin(question: string): Promise<string> {
  const secret = isInteractive() ? await askSecret(question) : (await text(process.stdin)).replace(/\r?\n$/, '');
  if (!secret) throw new Failure(`no ${question.toLowerCase()} on standard input`);
  return secret;
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

function readLine(question: string, echo: Writable, until?: AbortSignal): Promise<string> {
  // From here on the terminal echoes nothing by itself, so the question comes after it.
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
