import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { splitLines } from '../../host/lines.ts';
import { type LogWriter, type WriterLog } from '../records/log-writer.ts';
import { endTree, type ProcessTree } from '../../host/process-tree.ts';
import { identifyChild, isAlive, type ProcessId } from '../../host/processes.ts';
import { exitOf, spawnProgram } from '../../host/sandbox.ts';
import { type InstanceRecord, processTreeOf, writeRecord } from './state-file.ts';
import { type SupervisorSpec, usualGraceMs } from './supervisor-spec.ts';

const leftoverGraceMs = 3_000;
const lastOutputMs = 1_000;
const cannotRun = 126;
const lookMs = 200;
const takenOver = 'Its supervisor was killed and replaced';

type AppExit = { code: number | null; signal: string | null };

/** Starts one app, keeps it up and records its state. */
export class SupervisedApp {
  readonly #spec: SupervisorSpec;
  readonly #logs: LogWriter;
  readonly #report: WriterLog;
  readonly record: InstanceRecord;
  #tree: ProcessTree | undefined;
  #ending: Promise<void> | undefined;
  #stopping = false;
  #restartAsked = false;
  #wake = () => {};

  constructor(spec: SupervisorSpec, logs: LogWriter, report: WriterLog) {
    [this.#spec, this.#logs, this.#report, this.record] = [spec, logs, report, spec.record];
  }

  get tree(): ProcessTree | undefined {
    return this.#tree;
  }

  /** Keeps the app up until it is stopped. */
  async run(): Promise<void> {
    const { firstPauseMs, longestPauseMs, steadyMs } = this.#spec.limits;
    let pauseMs = firstPauseMs;
    while (!this.#stopping) {
      const began = Date.now();
      const exit = await (this.record.app ? this.#takeOver(this.record.app) : this.#runOnce());
      if (Date.now() - began >= steadyMs) pauseMs = firstPauseMs;
      this.#note({ app: null, status: 'restarting', exitCode: exit.code, exitSignal: exit.signal });
      if (!this.#stopping && !this.#restartAsked) {
        await this.#pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
        if (!this.#stopping && !this.#restartAsked) this.record.restarts++;
      }
      // Counts from zero after a restart on request, like Docker.
      if (this.#restartAsked) this.record.restarts = 0;
      this.#restartAsked = false;
    }
    this.#note({ status: 'stopped' });
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#wake();
    await this.end(graceMs);
  }

  async restart(): Promise<void> {
    if (this.#restartAsked) return;
    this.#restartAsked = true;
    this.#wake();
    await this.end(usualGraceMs);
  }

  /** Ends the current process tree; `run` decides about a restart. */
  async end(graceMs: number): Promise<void> {
    if (!this.#tree) return;
    // Two callers may end it concurrently; the shorter grace period wins.
    const ending = Promise.all([this.#ending, endTree(this.#tree, graceMs)]).then(() => {});
    this.#ending = ending;
    await ending;
  }

  say(line: string): void {
    this.#logs.write('stderr', `[mooring] ${line}`);
  }

  /** Sets a notice for the user, and replaces one of the same kind. */
  notice(kind: string, sentence: string): void {
    const others = this.record.notices.filter((each) => !each.startsWith(kind));
    this.#note({ notices: [...others, `${kind} ${sentence}`] });
  }

  async #runOnce(): Promise<AppExit> {
    const child = this.#spawn();
    const exit = exitOf(child).catch((error: Error): AppExit => {
      this.say(`the app cannot be started: ${error.message}`);
      return { code: cannotRun, signal: null };
    });
    const closed = this.#record(child);
    const leader = child.pid ? identifyChild(child.pid) : undefined;
    if (leader) this.#tree = processTreeOf({ ...this.record, app: leader });
    this.record.starts++;
    this.#note({ app: leader ?? null, status: 'running', startedAt: Date.now() });
    const result = await exit;
    await this.#endLeftovers();
    // An escaped process may still hold the pipes.
    const cut = setTimeout(() => [child.stdout, child.stderr].forEach((pipe) => pipe?.destroy()), lastOutputMs);
    await closed;
    clearTimeout(cut);
    this.#tree = this.#ending = undefined;
    return result;
  }

  /** An app whose supervisor was killed keeps running; only its output is lost. Its exit code is visible only to its
   * parent. */
  async #takeOver(app: ProcessId): Promise<AppExit> {
    this.#tree = processTreeOf(this.record);
    this.record.starts++;
    this.record.status = 'running';
    // One write, so that a reader never sees it running without the notice.
    this.notice(takenOver, 'and what it prints is lost until it is restarted.');
    while (isAlive(app)) await sleep(lookMs);
    await this.#endLeftovers();
    this.#tree = this.#ending = undefined;
    this.#note({ notices: this.record.notices.filter((each) => !each.startsWith(takenOver)) });
    return { code: null, signal: null };
  }

  #spawn(): ChildProcess {
    const { command, folder, env, sandbox } = this.#spec.app;
    return spawnProgram({ file: '/bin/sh', args: ['-c', '--', command], cwd: folder, env }, sandbox ?? undefined);
  }

  /** An app whose main process exits has exited, even if a daemon stays: it would hold the port. */
  async #endLeftovers(): Promise<void> {
    try {
      await (this.#ending ?? (this.#tree && endTree(this.#tree, leftoverGraceMs)));
    } catch (error) {
      this.#report('processes that the app left behind do not end', error);
    }
  }

  /** Records its output; resolves when the streams are closed. */
  #record(child: ChildProcess): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const) {
      const splitter = splitLines((line) => this.#logs.write(stream, line));
      child[stream]?.on('data', (chunk: Buffer) => splitter.push(chunk)).once('close', () => splitter.end());
    }
    return new Promise((resolve) => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #note(changes: Partial<InstanceRecord>): void {
    Object.assign(this.record, changes);
    try {
      writeRecord(this.#spec.folder, this.record);
    } catch (error) {
      // The app keeps running; readers detect a stale record from the processes themselves.
      this.#report('the state cannot be written', error);
    }
  }
}
