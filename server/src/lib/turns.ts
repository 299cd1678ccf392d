/** Runs tasks of the same key one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(key: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(act, act);
    const over = () => this.#last.get(key) === turn && this.#last.delete(key);
    this.#last.set(key, turn);
    turn.then(over, over);
    return turn;
  }
}
