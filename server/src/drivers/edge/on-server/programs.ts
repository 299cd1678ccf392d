import type { WrittenEntry } from '../../../lib/archive/writer.ts';
import { EdgeNotRunningError } from '../builtin/control/client.ts';
import { fingerprint } from '../builtin/protocol.ts';
import { BridgeBrokenError } from './bridge.ts';
import type { EdgeContainer } from './container.ts';
import { copiedFileEntry, folderEntry, textEntry } from './entries.ts';
import { currentFile, dataFolder, edgeProgramOf, keeperProgram, programFolder } from './container-paths.ts';
import type { RemoteControl } from './remote-control.ts';

/** Local paths of the programs that run on the server. */
export interface EdgePrograms {
  /** The edge. */
  program: string;
  /** Keeps the edge running and bridges calls to it. */
  keeper: string;
  /** The Node that runs both. */
  execPath: string;
}

/** The programs in the container's volume, and their upload. */
export class ServerPrograms {
  readonly #bundle: EdgePrograms;
  readonly #container: EdgeContainer;
  readonly #control: RemoteControl;

  constructor(bundle: EdgePrograms, container: EdgeContainer, control: RemoteControl) {
    [this.#bundle, this.#container, this.#control] = [bundle, container, control];
  }

  fingerprint = (): string => fingerprint(this.#bundle.program);

  /** File name of the edge's program in the volume. */
  name = (): string => edgeProgramOf(this.fingerprint());
  /** Its path in the container. */
  path = (): string => `${dataFolder}/${programFolder}/${this.name()}`;

  /** The programs themselves. */
  files = (): WrittenEntry[] => [
    folderEntry(programFolder),
    copiedFileEntry(this.#bundle.keeper, `${programFolder}/${keeperProgram}`),
    copiedFileEntry(this.#bundle.program, `${programFolder}/${this.name()}`),
  ];

  /** Marks our program as the current one. */
  choice = (): WrittenEntry[] => [
    folderEntry(programFolder),
    textEntry(`${programFolder}/${currentFile}`, `${this.name()}\n`),
  ];

  /** Uploads the keeper if the volume has an older one or none. A running keeper is not restarted. */
  async renewKeeper(): Promise<void> {
    const there = await this.#control.keeperFingerprint().catch((error: unknown) => {
      if (error instanceof BridgeBrokenError || error instanceof EdgeNotRunningError) return null;
      throw error;
    });
    if (there === fingerprint(this.#bundle.keeper)) return;
    await this.#container.put(this.files());
    this.#control.reopen();
  }

  /** Does not overwrite an existing program, which may be in use. */
  async renew(): Promise<void> {
    const { names } = await this.#control.ask('programs', []);
    if (!names.includes(this.name())) await this.#container.put(this.files());
  }

  async choose(): Promise<void> {
    const { current } = await this.#control.ask('programs', []);
    if (current !== this.name()) await this.#container.put(this.choice());
  }
}
