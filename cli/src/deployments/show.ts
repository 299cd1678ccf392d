import { logText, plainText, styled } from '../output.ts';
import { StatusLine } from '../status-line.ts';
import { formatDuration } from '../format.ts';
import { ServiceNames } from './service-names.ts';
import type { DeploymentEvent } from './stream.ts';

type Step = Extract<DeploymentEvent, { type: 'step' }>;
type Log = Extract<DeploymentEvent, { type: 'log' }>;
type Service = Extract<DeploymentEvent, { type: 'service' }>;

type Mark = { mark: string; format: 'green' | 'red' | 'yellow' | 'dim' };
const marks: Record<string, Mark> = {
  done: { mark: '✓', format: 'green' },
  failed: { mark: '✗', format: 'red' },
  skipped: { mark: '-', format: 'dim' },
  cancelled: { mark: '-', format: 'yellow' },
};
const ofServices: Record<string, Mark> = {
  ready: marks['done']!,
  completed: marks['done']!,
  failed: marks['failed']!,
  skipped: marks['skipped']!,
  removed: marks['skipped']!,
  rolled_back: marks['skipped']!,
};
const tickMs = 1000;
/** How often a silent step reports progress without a terminal. */
const silenceMs = 30_000;
/** On a terminal, a step counts as silent after this time. */
const quietMs = 10_000;

const moving = new Set(['building', 'starting', 'checking']);

/** Shows the progress of a deployment on stderr. */
export class Progress {
  readonly services = new ServiceNames(process.stderr);
  readonly #line = new StatusLine();
  readonly #begun = new Map<string, number>();
  readonly #moving = new Map<string, string>();
  #step = '';
  #notRun: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The time of the last output. */
  #lastOutput = Date.now();
  #lastSign = Date.now();

  show(event: DeploymentEvent): void {
    if (event.type === 'step' && event.status === 'not_run') this.#notRun.push(event.name);
    else if (event.type === 'step') this.#showStep(event);
    else if (event.type === 'log') this.#showLog(event);
    else if (event.type === 'service') this.#showService(event);
    else if (event.type === 'status' && event.status === 'queued') this.#line.set('… waiting in the queue');
    else if (event.type === 'status') this.#showNotRun();
    else if (event.type === 'prompt' || event.type === 'end') this.clear();
  }

  say(text: string): void {
    this.#line.print(styled('dim', plainText(text), process.stderr));
  }

  clear(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#line.clear();
  }

  /** Shows that long silent steps are alive: by a running time on a terminal, otherwise by an occasional line. */
  #tick(): void {
    const silentMs = Date.now() - this.#lastOutput;
    if (process.stderr.isTTY) return this.#drawLine();
    if (silentMs < silenceMs || Date.now() - this.#lastSign < silenceMs) return;
    this.#lastSign = Date.now();
    const since = `no output for ${formatDuration(silentMs)}`;
    this.say(`${this.#step} has been running for ${formatDuration(this.#elapsedMs())}, ${since}`);
  }

  #elapsedMs(): number {
    return Math.max(0, Date.now() - (this.#begun.get(this.#step) ?? Date.now()));
  }

  #sawOutput(): void {
    this.#lastOutput = this.#lastSign = Date.now();
  }

  #showStep({ name, status, at, attempt = 1 }: Step): void {
    this.#step = name;
    if (status === 'running') {
      this.#begun.set(name, Date.parse(at));
      // The service was restarted during the step.
      if (attempt > 1) this.say(`${name} starts again (attempt ${attempt})`);
      this.#sawOutput();
      this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
      return this.#drawLine();
    }
    this.clear();
    this.#moving.clear();
    const { mark, format } = marks[status] ?? { mark: '?', format: 'dim' };
    const begun = this.#begun.get(name);
    const took = begun === undefined ? '' : `  ${formatDuration(Date.parse(at) - begun)}`;
    const how = status === 'cancelled' ? `${name} cancelled` : name;
    this.#line.print(`${styled(format, mark, process.stderr)} ${plainText(how)}${styled('dim', took, process.stderr)}`);
  }

  /** Shows all skipped steps in one line. */
  #showNotRun(): void {
    if (this.#notRun.length) this.say(`- not run: ${this.#notRun.join(', ')}`);
    this.#notRun = [];
  }

  #showLog({ line, level, step, service }: Log): void {
    this.#sawOutput();
    // The end of the output has the reason, with an excerpt and a hint.
    if (level === 'error' && line.startsWith(`Failed at ${step}: `)) return;
    // The plan's lines begin with the service name, which is already the prefix here.
    const said = step === 'plan' && line.startsWith(`${service}: `) ? line.slice(line.indexOf(' ') + 1) : line;
    const text = inLook(logText(said), level, step);
    this.#line.print(service ? `  ${this.services.padded(service)}  ${text}` : `  ${text}`);
  }

  /** Transient states go to the status line; final ones are printed. The reason is in the log above. */
  #showService({ name, status }: Service): void {
    if (moving.has(status)) this.#moving.set(name, status);
    else this.#moving.delete(name);
    const look = ofServices[status];
    if (look) {
      const words = `${styled(look.format, look.mark, process.stderr)} ${this.services.padded(name)}`;
      this.#line.print(`${words}  ${plainText(status.replaceAll('_', ' '))}`);
    }
    this.#drawLine();
  }

  #drawLine(): void {
    const now = [...this.#moving].map(([name, status]) => `${name} ${status}`).join(', ');
    const silentMs = Date.now() - this.#lastOutput;
    const silence = silentMs < quietMs ? '' : `, no output for ${formatDuration(silentMs)}`;
    const elapsedMs = this.#elapsedMs();
    const elapsed = elapsedMs < tickMs ? '' : `  ${formatDuration(Math.floor(elapsedMs / tickMs) * tickMs)}`;
    this.#line.set(`… ${this.#step}${now && `: ${now}`}${elapsed}${silence}`);
  }
}

function inLook(text: string, level: string, step: string | null): string {
  if (level === 'error') return styled('red', text, process.stderr);
  if (level === 'warn') return styled('yellow', text, process.stderr);
  return step === null ? text : styled('dim', text, process.stderr);
}
