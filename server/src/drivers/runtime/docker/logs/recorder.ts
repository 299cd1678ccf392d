import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile } from '../../../../lib/lock-file.ts';
import { splitLines } from '../../../host/lines.ts';
import { LogWriter, type WriterLog } from '../../records/log-writer.ts';
import type { LogLine } from '../../runtime.ts';
import type { EngineClient } from '../engine/client.ts';
import { EngineAwayError } from '../../errors.ts';
import { goneOrGoing, undefinedIfGone } from '../engine/errors.ts';
import { isUnended, lineEnd, logFrames, engineTimeOf } from './frames.ts';
import type { LogPace } from './pace.ts';
import { ContainerNotes } from '../notes.ts';
import { isUp, type OwnContainers } from '../own-containers.ts';
import { overlapSeconds, storedMarks } from './stored-marks.ts';

export interface RecorderOptions {
  engine: EngineClient;
  containers: OwnContainers;
  containerId: string;
  /** A terminal's log has another format. */
  hasTerminal: boolean;
  /** Redacts its secrets. */
  redact: (line: string) => string;
  /** Folder of its log files. */
  folder: string;
  limits: { logFileBytes: number; logFiles: number };
  pace: LogPace;
  report: WriterLog;
}

/** Another service process may hold the lock until it exits. */
const askAgainMs = 1_000;
/** Between two starts of a crashing app, unless a start event wakes us before. */
const lookAgainMs = 1_000;

/** Copies a container's output from the engine into our files, which outlive the container. Nothing is lost or
 * repeated when recording is interrupted and resumed, by this process or the next. */
export class LogRecorder {
  readonly #options: RecorderOptions;
  readonly #notes: ContainerNotes;
  readonly #closing = new AbortController();
  #writer: LogWriter | undefined;
  #isWanted = true;
  #hasEnded = false;
  #wake = () => {};

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#notes = new ContainerNotes(options.folder, options.report);
  }

  /** Records until the container has exited and all its output is stored, or until closed. Waits for an unreachable
   * engine. */
  async run(): Promise<void> {
    const lock = await this.#lock();
    if (!lock) return;
    const { folder, limits, report, redact } = this.#options;
    this.#writer = new LogWriter(folder, limits, report, redact);
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        if (!(await this.#isComplete())) {
          await this.#pause(lookAgainMs);
          this.#isWanted = true;
        }
      }
    } catch (error) {
      // The deployment was removed with its logs.
      const isGone = !existsSync(folder);
      if (!isGone && !this.#closing.signal.aborted) throw error;
    } finally {
      this.#hasEnded = true;
      this.#writer.flush();
      this.#writer = undefined;
      lock.release();
    }
  }

  /** Resumes after a restart of the container. Returns false when this recorder has ended and another one is
   * needed. */
  wake(): boolean {
    this.#isWanted = true;
    this.#wake();
    return !this.#hasEnded;
  }

  /** Records an OOM kill that the engine reported. */
  noteOutOfMemory(): void {
    if (!this.#writer) return;
    this.#notes.outOfMemory();
    this.#writer.write('stderr', '[mooring] out of memory: the system killed a process of the app');
  }

  close(): void {
    this.#isWanted = false;
    this.#closing.abort();
    this.#wake();
  }

  /** Copies the output so far. Returns true if that is all: the container has exited or is gone. */
  async #isComplete(): Promise<boolean> {
    const { containers, containerId } = this.#options;
    try {
      await this.#copy(true);
      // The engine may end a followed log slightly early.
      await this.#copy(false);
      const container = await containers.find(containerId);
      return !container || !isUp(container);
    } catch (error) {
      if (error instanceof EngineAwayError) return false;
      throw error;
    }
  }

  async #copy(follow: boolean): Promise<void> {
    const { engine, containerId, hasTerminal, folder, pace } = this.#options;
    const { signal } = this.#closing;
    this.#writer!.flush();
    const stored = await storedMarks(folder);
    const since = stored.last ? engineTimeOf(stored.last, overlapSeconds) : 0;
    const query = { stdout: true, stderr: true, timestamps: true, follow, since };
    const path = `/containers/${containerId}/logs`;
    const log = await undefinedIfGone(engine.open({ method: 'GET', path, query, signal }), goneOrGoing);
    if (!log) return;
    // A very long line arrives in pieces; it is stored when complete, with the mark of its last piece.
    let mark = '';
    const store = (stream: LogLine['stream']) =>
      splitLines((line) => {
        if (stored.has(stream, mark)) return;
        this.#writer!.write(stream, line, mark);
        this.#notes.read(line);
      });
    const streams = { stdout: store('stdout'), stderr: store('stderr') };
    for await (const frame of logFrames(log, hasTerminal)) {
      mark = frame.mark;
      streams[frame.stream].push(frame.content);
      if (isUnended(frame)) streams[frame.stream].push(lineEnd);
      const waitMs = pace.count();
      if (waitMs) await sleep(waitMs, undefined, { signal });
    }
  }

  /** Locks the folder for one writer. Returns undefined when closed while waiting. */
  async #lock(): Promise<{ release(): void } | undefined> {
    class TakenError extends Error {}
    while (!this.#closing.signal.aborted) {
      try {
        return lockFile(join(this.#options.folder, 'recorder.lock'), () => new TakenError());
      } catch (error) {
        if (!(error instanceof TakenError)) throw error;
      }
      await this.#pause(askAgainMs);
    }
    return undefined;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#closing.signal.aborted) this.#wake();
    });
  }
}
