import { StaleFenceError } from '../../stale-fence.ts';
import { isDeepStrictEqual } from 'node:util';
import type { EdgeProject } from '../edge.ts';
import type { SavedSettings, SavedState } from './state.ts';
import { type RouteEntry, RouteTable } from './table.ts';

export class RouteTakenError extends Error {
  override name = 'RouteTakenError';
}

/** A successor owns the routes now. */
export class HandedOverError extends Error {
  override name = 'HandedOverError';
}

type Save = (state: SavedState) => Promise<void>;

/** Resolves when the state is on disk. */
export type SaveSettings = (what: Partial<SavedSettings>) => Promise<void>;

const mostFences = 20_000;

/** The active routes. Changes are serialized and on disk before they take effect. */
export class Routes {
  #table: RouteTable;
  #state: SavedState;
  readonly #save: Save;
  readonly #onChange: (table: RouteTable) => Promise<void>;
  readonly #onSettings: (remembered: SavedSettings) => Promise<void>;
  #queue: Promise<unknown> = Promise.resolve();
  #handedOver = false;

  /** A change resolves only after `onChange`, or `onSettings` for the state besides the routes. */
  constructor(
    state: SavedState,
    save: Save,
    onChange: (table: RouteTable) => Promise<void>,
    onSettings: (remembered: SavedSettings) => Promise<void> = async () => {},
  ) {
    this.#state = state;
    this.#table = new RouteTable(state.projects);
    this.#save = save;
    this.#onChange = onChange;
    this.#onSettings = onSettings;
  }

  /** Everything that is saved. */
  get state(): SavedState {
    return this.#state;
  }

  get table(): RouteTable {
    return this.#table;
  }

  get handedOver(): boolean {
    return this.#handedOver;
  }

  find(host: string, path: string): RouteEntry | undefined {
    return this.#table.find(host, path);
  }

  point(project: EdgeProject): Promise<void> {
    return this.change(async () => {
      const seen = this.#state.fences[project.key];
      if (seen !== undefined && project.fence < seen)
        throw new StaleFenceError(`${project.key} was pointed with fence ${seen}; ${project.fence} is too old`);
      const rival = this.#table.rivalOf(project);
      if (rival) throw new RouteTakenError(`${rival.route.host}${rival.route.path} belongs to ${rival.key}`);
      await this.#change(this.#table.with(project), { ...this.#state.fences, [project.key]: project.fence });
    });
  }

  remove(key: string): Promise<void> {
    return this.change(() => this.#change(this.#table.without(key), this.#state.fences));
  }

  get remembered(): SavedSettings {
    const { instanceId: _instance, projects: _projects, fences: _fences, ...rest } = this.#state;
    return rest;
  }

  remember(what: Partial<SavedSettings>): Promise<void> {
    return this.change((remember) => remember(what));
  }

  /** Marks a successor as the owner of the routes; its updates arrive through `adopt`. */
  handOver(): void {
    this.#handedOver = true;
  }

  adopt(projects: readonly EdgeProject[]): void {
    this.#table = new RouteTable(projects);
  }

  /** Changes state that a successor would read from disk. */
  change<T>(work: (remember: SaveSettings) => Promise<T>): Promise<T> {
    return this.alone(() => {
      if (this.#handedOver) throw new HandedOverError('another edge has taken over');
      return work((what) => this.#remember(what));
    });
  }

  /** Runs `work` while nothing changes. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  async #remember(what: Partial<SavedSettings>): Promise<void> {
    if (isDeepStrictEqual({ ...this.remembered, ...what }, this.remembered)) return;
    const state = { ...this.#state, ...what };
    await this.#save(state);
    this.#state = state;
    await this.#onSettings(this.remembered);
  }

  async #change(table: RouteTable, fences: Record<string, number>): Promise<void> {
    const state = { ...this.#state, projects: table.projects, fences: newest(fences, table) };
    await this.#save(state);
    this.#state = state;
    this.#table = table;
    await this.#onChange(table);
  }
}

/** Fences of removed keys are kept, up to a limit. */
function newest(fences: Record<string, number>, table: RouteTable): Record<string, number> {
  const entries = Object.entries(fences);
  if (entries.length <= mostFences) return fences;
  const living = new Set(table.projects.map((each) => each.key));
  const removed = entries.filter(([key]) => !living.has(key)).slice(-mostFences / 2);
  return Object.fromEntries([...removed, ...entries.filter(([key]) => living.has(key))]);
}
