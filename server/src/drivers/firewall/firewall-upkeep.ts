import type { Log } from '../../lib/log.ts';
import { PeriodicTask } from '../../lib/periodic-task.ts';
import type { FirewallFinding, Firewall } from './firewall.ts';

type Options = { firewall: Firewall; isApplied: boolean; log: Log; everyMs?: number };

const lookMs = 60_000;
/** Short, because a firewall reload or an operator may remove our rules. */
const applyMs = 10_000;

const rules = 'the rules between containers and this machine (chains MOORING-*)';
const fix =
  'set MOORING_CLOUD_FIREWALL=apply, or add rules yourself (docs/operations/run-a-cloud.md); if another firewall does this, set it to off';

/** Checks the firewall at startup, when the engine comes back and periodically; restores the rules if `isApplied`.
 * Logs a finding only when it changes. */
export class FirewallUpkeep {
  readonly #options: Options;
  readonly #rounds: PeriodicTask;
  #told = '';

  constructor(options: Options) {
    this.#options = options;
    const { isApplied, log, everyMs = isApplied ? applyMs : lookMs } = options;
    const warn = (message: string) => log.error(`the firewall between containers and this machine: ${message}`);
    this.#rounds = new PeriodicTask({ everyMs, warn, round: () => this.#round() });
  }

  /** Fails with a FirewallError if the rules cannot be applied. */
  async begin(): Promise<void> {
    const { isApplied, firewall, log } = this.#options;
    if (isApplied && (await firewall.apply())) log.info(`${rules} are in place`);
    await this.#look();
    this.#rounds.start();
  }

  soon(): void {
    this.#rounds.soon();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(): Promise<void> {
    const { isApplied, firewall, log } = this.#options;
    if (isApplied && (await firewall.apply())) log.warn(`${rules} were incomplete and have been restored`);
    await this.#look();
  }

  async #look(): Promise<void> {
    const words = inWords(await this.#options.firewall.look());
    if (words === this.#told) return;
    // Log the all-clear only after a warning.
    if (words) this.#options.log.warn(words);
    else if (this.#told) this.#options.log.info('containers can no longer reach this machine and its network');
    this.#told = words;
  }
}

function inWords(found: FirewallFinding): string {
  if (found.state === 'holds') return '';
  if (found.state === 'open') return `containers can reach ${found.open.join(', ')}: ${fix}`;
  return `Mooring cannot determine whether containers reach this machine and its network (${found.why}): ${fix}`;
}
