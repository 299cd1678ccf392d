import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitConcurrency } from '../../../../lib/concurrency.ts';
import type { EngineClient } from '../engine/client.ts';
import { goneOrGoing, undefinedIfGone } from '../engine/errors.ts';
import { type LogFrame, logFrames } from './frames.ts';
import { containerRedactor } from './container-redactor.ts';
import { LogPace } from './pace.ts';
import { LogRecorder, type RecorderOptions } from './recorder.ts';
import { isUp, type OwnContainer } from '../own-containers.ts';
import { isLineStored } from './stored-marks.ts';

export type RecordersOptions = Omit<RecorderOptions, 'containerId' | 'hasTerminal' | 'redact' | 'folder' | 'pace'> & {
  folderOf: (container: OwnContainer) => string;
};

/** One recorder for each running container, and for each exited one until its output is stored. */
export class LogRecorders {
  readonly #options: RecordersOptions;
  readonly #active = new Map<string, { recorder: LogRecorder; end: Promise<void> }>();
  readonly #fewAtOnce = limitConcurrency(8);
  readonly #pace = new LogPace();
  #isClosed = false;

  constructor(options: RecordersOptions) {
    this.#options = options;
  }

  /** Ensures that the container's output is recorded from where our files end. */
  record(container: OwnContainer): void {
    const { Id } = container.info;
    if (this.#isClosed || this.#active.get(Id)?.recorder.wake()) return;
    const folder = this.#options.folderOf(container);
    // Another service of this instance, with its own folder, records it.
    if (!existsSync(folder)) return;
    const redact = containerRedactor(container.info);
    const hasTerminal = hasTerminalOf(container);
    const recorder = new LogRecorder({
      ...this.#options,
      containerId: Id,
      hasTerminal,
      redact,
      folder,
      pace: this.#pace,
    });
    const run = () => recorder.run();
    const end = (isUp(container) ? run() : this.#fewAtOnce(run))
      .catch((error: unknown) => this.#options.report('output of an app is not recorded', error))
      .finally(() => this.#active.get(Id)?.recorder === recorder && this.#active.delete(Id));
    this.#active.set(Id, { recorder, end });
  }

  /** Stops recording a container whose logs are being removed. */
  async forget({ info: { Id } }: OwnContainer): Promise<void> {
    const active = this.#active.get(Id);
    active?.recorder.close();
    await active?.end;
  }

  noteOutOfMemory(containerId: string): void {
    this.#active.get(containerId)?.recorder.noteOutOfMemory();
  }

  /** Waits until the container's output so far is in our files, no matter which process writes them; false on
   * timeout. */
  async catchUp(container: OwnContainer, withinMs: number): Promise<boolean> {
    const last = await lastFrame(this.#options.engine, container);
    if (!last) return true;
    const folder = this.#options.folderOf(container);
    for (const giveUp = Date.now() + withinMs; !(await isLineStored(folder, last.stream, last.mark)); await sleep(20)) {
      if (Date.now() > giveUp) return false;
      this.record(container);
    }
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { recorder } of this.#active.values()) recorder.close();
    await Promise.all([...this.#active.values()].map(({ end }) => end));
  }
}

const hasTerminalOf = ({ info }: OwnContainer): boolean => info.Config.Tty ?? false;

/** Returns the last frame of the engine's log. */
async function lastFrame(engine: EngineClient, container: OwnContainer): Promise<LogFrame | undefined> {
  const { Id } = container.info;
  const query = { stdout: true, stderr: true, timestamps: true, tail: 1 };
  const log = await undefinedIfGone(engine.open({ method: 'GET', path: `/containers/${Id}/logs`, query }), goneOrGoing);
  let last: LogFrame | undefined;
  if (log) for await (const frame of logFrames(log, hasTerminalOf(container))) last = frame;
  return last;
}
