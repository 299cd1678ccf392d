import type { GitSource } from '../githost.ts';
import type { GitHubClient } from './client.ts';
import { bearer, type GitHubCredential } from './credential.ts';
import type { GhProgram } from './gh-program.ts';
import { UserSource } from './user-source.ts';

/** Cached because starting `gh` for each call would cost more than the call. */
const keptMs = 60_000;

/** Source that uses the account signed in with `gh` on this machine. */
export class CliSource extends UserSource implements GitSource {
  readonly kind = 'cli';
  readonly #program: GhProgram;
  #kept: { token: string; until: number } | undefined;

  constructor({ client, program }: { client: GitHubClient; program: GhProgram }) {
    super(client);
    this.#program = program;
  }

  /** Leaves the `gh` sign-in alone: it belongs to the machine's owner. */
  async revoke(): Promise<void> {
    this.#kept = undefined;
  }

  protected async credential(_owner: string, signal?: AbortSignal): Promise<GitHubCredential> {
    if (!this.#kept || this.#kept.until < Date.now())
      this.#kept = { token: await this.#program.token({ signal }), until: Date.now() + keptMs };
    return bearer(this.#kept.token);
  }

  protected async renewed(
    owner: string,
    { secret }: GitHubCredential,
    signal?: AbortSignal,
  ): Promise<GitHubCredential | undefined> {
    this.#kept = undefined;
    const other = await this.credential(owner, signal);
    return other.secret === secret ? undefined : other;
  }
}
