import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import type { ContainerInfo } from '../../runtime/docker/engine/types.ts';
import { EdgeNotRunningError } from '../builtin/control/client.ts';
import type { EdgeStarter } from '../builtin/control/edge.ts';
import { explainListening } from '../builtin/listen.ts';
import { type EdgeContainer, isGoneOrRenamed, isMadeFrom } from './container.ts';
import { containerBody, type ContainerPlan } from './container-body.ts';
import { chooseImage, type EdgeImage, provideEdgeImage, removeOtherImages } from './image.ts';
import type { ServerPrograms } from './programs.ts';
import type { RemoteControl } from './remote-control.ts';
import { withServerFieldNames, edgeLogLocation } from './server-field-names.ts';

/** Receives lines for the log. */
export type StarterLog = (what: string, error?: unknown) => void;

type Parts = {
  engine: EngineClient;
  container: EdgeContainer;
  control: RemoteControl;
  programs: ServerPrograms;
  plan: ContainerPlan;
  execPath: string;
  report: StarterLog;
  /** Called with each new container, before it serves. */
  onCreated: () => Promise<void>;
};

const comesUpMs = 20_000;
const betweenLooksMs = 50;
const containerLookMs = 500;
const mostTries = 5;
const longestPauseMs = 2000;

/** Starts the edge in a container of the server. */
export class ServerStarter implements EdgeStarter {
  readonly log = edgeLogLocation;
  readonly #parts: Parts;
  #image: Promise<EdgeImage> | undefined;
  /** What is being sent to the server right now. */
  #transfer: string | undefined;
  readonly #onTransfer = new Set<(what: string) => void>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  program = (): string => this.#parts.programs.fingerprint();

  /** Cached: the architecture of a server does not change. */
  image = (): Promise<EdgeImage> => {
    const { engine, execPath } = this.#parts;
    this.#image ??= chooseImage(engine, execPath).catch((error: unknown) => {
      this.#image = undefined;
      throw error;
    });
    return this.#image;
  };

  alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    // The caller gets the error; the next one runs regardless.
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Tells about a transfer while `work` runs, also about one that has begun already. */
  async telling<T>(onTransfer: (what: string) => void, work: () => Promise<T>): Promise<T> {
    if (this.#transfer !== undefined) onTransfer(this.#transfer);
    this.#onTransfer.add(onTransfer);
    try {
      return await work();
    } finally {
      this.#onTransfer.delete(onTransfer);
    }
  }

  #setTransfer = (what: string): void => {
    this.#transfer = what;
    for (const tell of this.#onTransfer) tell(what);
  };

  /** Ensures a container of the right kind with our keeper. */
  prepare(): Promise<void> {
    return this.alone(async () => {
      for (let tries = 1; ; tries++)
        try {
          return await this.#lookAfterContainer();
        } catch (error) {
          // Another replica of the service may be doing the same.
          if (!isGoneOrRenamed(error) || tries === mostTries) throw error;
          await sleep(Math.random() * longestPauseMs);
        }
    });
  }

  async #lookAfterContainer(): Promise<void> {
    const { container, plan, programs } = this.#parts;
    const body = containerBody(await this.image(), plan);
    const found = await container.find();
    if (found && isUp(found)) await programs.renewKeeper();
    if (!found || !isMadeFrom(found, body)) await this.#exchange(found, body);
  }

  async start(): Promise<void> {
    const { container, programs } = this.#parts;
    const found = await container.find();
    if (!found) throw new Error('the container of the edge was just removed');
    if (isUp(found) && (await this.#startIn())) return;
    await container.put([...programs.files(), ...programs.choice()]);
    await this.#startStopped();
  }

  /** Starts the edge in the running container; false if that has just been stopped. */
  async #startIn(): Promise<boolean> {
    const { programs } = this.#parts;
    const failures = (await this.#failure())?.attempt ?? 0;
    await programs.renew();
    await programs.choose();
    return this.#comesUp(failures);
  }

  async handOver(): Promise<void> {
    const { control, programs } = this.#parts;
    await programs.renew();
    const { node: execPath } = await this.image();
    await control.call('POST', '/hand-over', { execPath, program: programs.path() });
    // Set only now, so that the keeper restarts only a program that has served.
    await programs.choose();
  }

  end(): Promise<void> {
    return this.#parts.container.stop();
  }

  /** Replaces another container or creates the first. Everything is in place before anything stops. */
  async #exchange(found: ContainerInfo | undefined, body: object): Promise<void> {
    const { engine, container, control, programs, execPath, report, onCreated } = this.#parts;
    const image = await this.image();
    await provideEdgeImage(engine, image, execPath, { onTransfer: this.#setTransfer, say: report }).finally(() => {
      this.#transfer = undefined;
    });
    if (found && isUp(found)) await this.#probePort();
    const { stoppedAt } = await container.replace(body, [...programs.files(), ...programs.choice()]);
    await onCreated();
    control.reopen();
    if (found) {
      await container.start();
      await this.#mustComeUp();
    } else await this.#startStopped();
    if (stoppedAt) report(`the edge on the server got a new container; it was down for ${Date.now() - stoppedAt} ms`);
    await removeOtherImages(engine, image);
  }

  /** Keeps the running edge if the new port is not available. */
  async #probePort(): Promise<void> {
    const { control, plan } = this.#parts;
    const { host, port } = plan;
    const hello = await control.hello();
    if (!hello || port === 0 || hello.port === port) return;
    const code = await control.ask('probe', [host, port]);
    if (code) throw new Error(explainListening({ code, message: code }, host, port, 'edgePort of the server'));
  }

  /** Starts a container that has not served before. If it fails it is stopped again: otherwise its keeper would take
   * the port as soon as the program that has it restarts. */
  async #startStopped(): Promise<void> {
    const { container } = this.#parts;
    await container.start();
    try {
      await this.#mustComeUp();
    } catch (error) {
      await container.stop();
      throw error;
    }
  }

  async #mustComeUp(): Promise<void> {
    if (!(await this.#comesUp(0))) throw new Error('the container of the edge was stopped right after its start');
  }

  /** Waits until the edge serves or reports a new failure. Returns false when its container is not up any more. */
  async #comesUp(failures: number): Promise<boolean> {
    const { control, container } = this.#parts;
    let lookAt = Date.now() + containerLookMs;
    for (const giveUp = Date.now() + comesUpMs; ; await sleep(betweenLooksMs)) {
      if (await control.hello()) return true;
      const failure = await this.#failure();
      if (failure && failure.attempt > failures) throw withServerFieldNames(new Error(failure.message));
      if (Date.now() > giveUp) throw new Error(`the edge on the server was not ready in time; see ${this.log}`);
      if (Date.now() < lookAt) continue;
      lookAt = Date.now() + containerLookMs;
      const found = await container.find();
      if (!found || hasEnded(found)) return false;
    }
  }

  /** A container that is not up has no failure yet. */
  async #failure() {
    try {
      return await this.#parts.control.ask('failure', []);
    } catch (error) {
      if (error instanceof EdgeNotRunningError) return null;
      throw error;
    }
  }
}

/** A container that the engine restarts may still come up. */
const hasEnded = ({ State }: ContainerInfo): boolean => ['exited', 'dead', 'removing'].includes(State.Status);
const isUp = ({ State }: ContainerInfo): boolean => State.Status === 'running';
