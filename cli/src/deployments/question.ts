import { ApiError, type Client, type Schemas, unwrap } from '@mooring/client';
import { UsageError } from '../errors.ts';
import { plainText, shortTime } from '../output.ts';
import { retryWhileAway } from '../retry.ts';
import { promptText, isInteractive } from '../prompt.ts';

type Prompt = NonNullable<Schemas['BuildState']['prompt']>;

export const answerOption = {
  type: 'string',
  multiple: true,
  value: '<option>',
  help: 'answer a question of the deployment in advance, such as continue; repeatable',
} as const;

/** Answers given in advance, and the command that takes them if it is not the same one again. */
export type PresetAnswers = { answers?: string[] | undefined; again?: string };

/** A deployment that nobody follows cannot be answered. */
export function requireFollowed({ answer, detach }: { answer?: string[]; detach?: boolean }): void {
  if (answer && detach) throw new UsageError('--answer and --detach cannot be combined: nobody is there to answer');
}

/** Prompts for the questions of a deployment while it is followed. */
export class Questions {
  readonly #client: Client;
  readonly #id: string;
  readonly #answering: PresetAnswers;
  #open: { promptId: string; settled: AbortController } | undefined;
  #asking = Promise.resolve();

  constructor(client: Client, id: string, answering: PresetAnswers) {
    this.#client = client;
    this.#id = id;
    this.#answering = answering;
  }

  /** Prompts, unless the question was already answered. Without a terminal the default is chosen at once. */
  async ask(promptId: string): Promise<void> {
    const prompt = await this.#prompt();
    if (prompt?.id !== promptId) return;
    process.stderr.write(`${plainText(prompt.question)}\n`);
    const given = prompt.options.find((option) => this.#answering.answers?.includes(option));
    if (given !== undefined) return this.#answerAtOnce(prompt, given, `Answer: ${given}`);
    // An approval is for somebody else to give.
    if (!isInteractive() && prompt.options.includes('approve')) return tellHow(this.#id, prompt);
    if (!isInteractive()) return this.#answerAtOnce(prompt, prompt.byDefault, this.#withoutTerminal(prompt));
    const settled = new AbortController();
    this.#open = { promptId, settled };
    this.#asking = this.#answer(prompt, settled.signal).catch(failHere);
  }

  /** Withdraws a prompt that was answered elsewhere or timed out. Call it for each event. */
  async settle(): Promise<void> {
    if (!this.#open) return;
    if ((await this.#prompt())?.id !== this.#open?.promptId) this.#open?.settled.abort();
    if (this.#open?.settled.signal.aborted) await this.end();
  }

  async end(): Promise<void> {
    this.#open?.settled.abort();
    this.#open = undefined;
    await this.#asking;
  }

  async #prompt(): Promise<Prompt | null> {
    const path = { params: { path: { id: this.#id } } };
    return (await retryWhileAway(() => unwrap(this.#client.GET('/api/deployments/{id}/build', path)))).data.prompt;
  }

  async #answer({ id: promptId, options, byDefault }: Prompt, settled: AbortSignal): Promise<void> {
    const response = await chosen(options, byDefault, settled);
    this.#open = undefined;
    if (response !== undefined) await this.#respond(promptId, response);
  }

  async #answerAtOnce({ id }: Prompt, response: string, sentence: string): Promise<void> {
    process.stderr.write(`${plainText(sentence)}\n`);
    await this.#respond(id, response).catch(failHere);
  }

  #withoutTerminal({ options, byDefault }: Prompt): string {
    const other = options.find((option) => option !== byDefault);
    const again = this.#answering.again ?? 'run the command again with';
    return `There is no terminal to answer on, so the answer is ${byDefault}. For another answer: ${again} --answer ${other}`;
  }

  async #respond(promptId: string, response: string): Promise<void> {
    const path = { params: { path: { id: this.#id } } };
    await unwrap(this.#client.POST('/api/deployments/{id}/build/respond', { ...path, body: { promptId, response } }));
  }
}

async function chosen(options: string[], byDefault: string, settled: AbortSignal): Promise<string | undefined> {
  const choices = options.map(plainText).join(', ');
  for (;;) {
    const answer = await promptText(`Answer (${choices})`, plainText(byDefault), settled).catch((error: unknown) => {
      if (!settled.aborted) throw error;
      process.stderr.write('\n');
    });
    if (answer === undefined || settled.aborted) return undefined;
    const option = options.find((each) => each.toLowerCase() === answer.toLowerCase());
    if (option !== undefined) return option;
    process.stderr.write(`Answer with one of ${choices}.\n`);
  }
}

function tellHow(id: string, { options: [first = ''], byDefault, expiresAt }: Prompt): void {
  const command = `mooring api /api/deployments/${id}/build/respond -d '${JSON.stringify({ response: first })}'`;
  process.stderr.write(`Answer in the dashboard, or: ${plainText(command)}\n`);
  process.stderr.write(`Without an answer by ${shortTime(expiresAt)}: ${plainText(byDefault)}.\n`);
}

/** Ctrl-C at a prompt exits; other errors, such as a late answer, are printed and ignored. */
function failHere(error: Error): void {
  if (error.name === 'Interrupted') process.emit('SIGINT', 'SIGINT');
  else
    process.stderr.write(`${plainText(error instanceof ApiError ? error.message : `no answer: ${error.message}`)}\n`);
}
