import { ApiError, type Client, type Schemas, unwrap } from '@mooring/client';
import { plain, shortTime } from '../output.ts';
import { patiently } from '../patience.ts';
import { ask, isInteractive } from '../prompt.ts';

type Prompt = NonNullable<Schemas['BuildState']['prompt']>;

/** Prompts for the questions of a deployment while it is followed. */
export class Questions {
  readonly #client: Client;
  readonly #id: string;
  #open: { promptId: string; settled: AbortController } | undefined;
  #asking = Promise.resolve();

  constructor(client: Client, id: string) {
    this.#client = client;
    this.#id = id;
  }

  /** Prompts, unless the question was already answered. */
  async ask(promptId: string): Promise<void> {
    const prompt = await this.#prompt();
    if (prompt?.id !== promptId) return;
    process.stderr.write(`${plain(prompt.question)}\n`);
    if (!isInteractive()) return tellHow(this.#id, prompt);
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
    return (await patiently(() => unwrap(this.#client.GET('/api/deployments/{id}/build', path)))).data.prompt;
  }

  async #answer({ id: promptId, options, byDefault }: Prompt, settled: AbortSignal): Promise<void> {
    const response = await chosen(options, byDefault, settled);
    this.#open = undefined;
    if (response === undefined) return;
    const path = { params: { path: { id: this.#id } } };
    await unwrap(this.#client.POST('/api/deployments/{id}/build/respond', { ...path, body: { promptId, response } }));
  }
}

async function chosen(options: string[], byDefault: string, settled: AbortSignal): Promise<string | undefined> {
  const choices = options.map(plain).join(', ');
  for (;;) {
    const answer = await ask(`Answer (${choices})`, plain(byDefault), settled).catch((error: unknown) => {
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
  process.stderr.write(`Answer in the dashboard, or: ${plain(command)}\n`);
  process.stderr.write(`Without an answer by ${shortTime(expiresAt)}: ${plain(byDefault)}.\n`);
}

/** Ctrl-C at a prompt exits; other errors, such as a late answer, are printed and ignored. */
function failHere(error: Error): void {
  if (error.name === 'Interrupted') process.emit('SIGINT', 'SIGINT');
  else process.stderr.write(`${plain(error instanceof ApiError ? error.message : `no answer: ${error.message}`)}\n`);
}
