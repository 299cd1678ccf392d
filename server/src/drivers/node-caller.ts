import { setTimeout as sleep } from 'node:timers/promises';
import { EngineAwayError, NodeAwayError } from './runtime/errors.ts';

export interface NodeRef {
  id: string;
  name?: string;
}

type Options = {
  /** Whether the cluster has given the node up. */
  isDown: (id: string) => Promise<boolean>;
  /** Whether a call that failed like this may succeed later. */
  isAway?: (error: unknown) => boolean;
  patienceMs?: number;
  /** Returns the name of a node that has none here. */
  nameOf?: (id: string) => Promise<string>;
};

const lookAgainMs = 500;

/** Calls nodes of a cluster. One that does not respond is waited for until the cluster gives it up: until then it may
 * still serve. */
export class NodeCaller {
  readonly #options: Options;
  readonly #down = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Nodes that were given up when they were called last. */
  get down(): ReadonlySet<string> {
    return this.#down;
  }

  /** Returns the results of all nodes that are not given up. Fails if one fails, or if none is left. */
  async all<Node extends NodeRef, T>(nodes: readonly Node[], task: (node: Node) => Promise<T>) {
    const results = await Promise.all(
      nodes.map(async (node) => {
        const result = await this.one(node, () => task(node));
        return result ? [{ node, value: result.value }] : [];
      }),
    );
    const there = results.flat();
    if (!there.length) throw new EngineAwayError(new Error('no node of the cluster responds'));
    return there;
  }

  /** Returns undefined if the cluster has given the node up. */
  async one<T>(node: NodeRef, task: () => Promise<T>): Promise<{ value: T } | undefined> {
    const { id } = node;
    if (this.#down.has(id) && (await this.#isDown(id))) return undefined;
    const call = { isOver: false };
    const answer = this.#retried(call, task);
    // It counts only while somebody waits for it.
    answer.catch(() => {});
    try {
      const soon = await Promise.race([answer, sleep(lookAgainMs)]);
      const result = soon ?? (await Promise.race([answer, this.#untilDown(id, call)]));
      if (result) this.#down.delete(id);
      else this.#down.add(id);
      return result;
    } catch (error) {
      throw isEngineAway(error) ? new NodeAwayError(await this.#nameOf(node), error) : error;
    } finally {
      call.isOver = true;
    }
  }

  async #retried<T>(call: { isOver: boolean }, task: () => Promise<T>): Promise<{ value: T }> {
    const { isAway = isEngineAway, patienceMs = 30_000 } = this.#options;
    for (const giveUp = Date.now() + patienceMs; ; await sleep(lookAgainMs))
      try {
        return { value: await task() };
      } catch (error) {
        if (!isAway(error) || call.isOver || Date.now() > giveUp) throw error;
      }
  }

  async #untilDown(id: string, call: { isOver: boolean }): Promise<undefined> {
    while (!call.isOver && !(await this.#isDown(id))) await sleep(lookAgainMs);
  }

  #nameOf = async ({ id, name }: NodeRef): Promise<string> => name ?? (await this.#options.nameOf?.(id)) ?? id;

  /** Unknown counts as not down: the node may serve. */
  async #isDown(id: string): Promise<boolean> {
    try {
      return await this.#options.isDown(id);
    } catch (error) {
      if (isEngineAway(error)) return false;
      throw error;
    }
  }
}

const isEngineAway = (error: unknown): error is EngineAwayError => error instanceof EngineAwayError;
