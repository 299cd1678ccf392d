import type { FastifyRequest } from 'fastify';

/** Differs after each change of the database. Undefined when changes may be missed: then nothing is kept. */
export type DataVersion = () => number | undefined;

const mostCharacters = 1_000_000;

/** Keeps the answers of routes with `cached`, as JSON, until the database changes. */
export class AnswerCache {
  readonly #read: DataVersion;
  #version: number | undefined;
  #characters = 0;
  readonly #answers = new Map<object, Map<string, string>>();

  constructor(version: DataVersion) {
    this.#read = version;
  }

  /** Of the database. Drops the answers from before its last change. Undefined when nothing can be kept. */
  version(): number | undefined {
    const version = this.#read();
    if (version !== this.#version) this.#clear();
    this.#version = version;
    return version;
  }

  find({ signedIn, url }: FastifyRequest): string | undefined {
    if (!signedIn?.organization || this.version() === undefined) return undefined;
    return this.#answers.get(signedIn.organization)?.get(url);
  }

  /** `version` is that from before the answer was read: a change during the read makes the answer stale. */
  keep({ signedIn, url }: FastifyRequest, version: number | undefined, answer: string): void {
    // What was read about a caller is kept too, so this object stays the same, and stands for all that they may see.
    const caller = signedIn?.organization;
    if (!caller || version === undefined || version !== this.#version) return;
    this.#characters += url.length + answer.length;
    if (this.#characters > mostCharacters) return this.#clear();
    const ofCaller = this.#answers.get(caller) ?? new Map<string, string>();
    this.#answers.set(caller, ofCaller.set(url, answer));
  }

  #clear(): void {
    this.#answers.clear();
    this.#characters = 0;
  }
}
