import { logText, plain, styled } from '../output.ts';
import { StatusLine } from '../status-line.ts';
import { duration } from '../words.ts';
import type { DeploymentEvent } from './stream.ts';

type Step = Extract<DeploymentEvent, { type: 'step' }>;

const marks: Record<string, { mark: string; format: 'green' | 'red' | 'dim' }> = {
  done: { mark: '✓', format: 'green' },
  failed: { mark: '✗', format: 'red' },
  skipped: { mark: '-', format: 'dim' },
};

/** Shows on stderr what happens in a deployment. */
export class Progress {
  readonly #line = new StatusLine();
  readonly #begun = new Map<string, number>();

  show(event: DeploymentEvent): void {
    if (event.type === 'step') this.#step(event);
    else if (event.type === 'log') this.#log(event);
    else if (event.type === 'service' && event.error) this.say(`${event.name}: ${event.error}`);
    else if (event.type === 'status' && event.status === 'queued') this.#line.set('… waiting in the queue');
    else if (event.type === 'prompt' || event.type === 'end') this.#line.clear();
  }

  say(text: string): void {
    this.#line.print(styled('dim', plain(text), process.stderr));
  }

  clear(): void {
    this.#line.clear();
  }

  #step({ name, status, at, attempt = 1 }: Step): void {
    if (status === 'running') {
      this.#begun.set(name, Date.parse(at));
      // The service was restarted in the middle of it.
      if (attempt > 1) this.say(`${name} begins again (attempt ${attempt})`);
      this.#line.set(`… ${plain(name)}`);
      return;
    }
    this.#line.clear();
    const { mark, format } = marks[status] ?? { mark: '?', format: 'dim' };
    const begun = this.#begun.get(name);
    const took = begun === undefined ? '' : `  ${duration(Date.parse(at) - begun)}`;
    this.#line.print(`${styled(format, mark, process.stderr)} ${plain(name)}${styled('dim', took, process.stderr)}`);
  }

  #log({ line, level, step }: Extract<DeploymentEvent, { type: 'log' }>): void {
    const text = `  ${logText(line)}`;
    if (level === 'error') this.#line.print(styled('red', text, process.stderr));
    else if (level === 'warn') this.#line.print(styled('yellow', text, process.stderr));
    else this.#line.print(step === null ? text : styled('dim', text, process.stderr));
  }
}
