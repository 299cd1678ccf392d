import { execFile } from 'node:child_process';
import { GitHostError } from '../errors.ts';
import type { GitHostCallOptions } from '../githost.ts';
import type { GitHubAddresses } from './addresses.ts';
import { installCommand } from './install-gh.ts';
import { wantedScopes } from './oauth-client.ts';

export interface GhOptions {
  /** `gh`, or its path. */
  file: string;
  addresses: GitHubAddresses;
  /** HOME and PATH of the account that is signed in; `gh` gets nothing else of our environment. */
  home: string;
  path: string;
  /** Folder of the `gh` configuration, if not in the home folder. */
  configDir?: string;
}

type Run = { code: number | null; stdout: string; stderr: string; isMissing: boolean };

const deadlineMs = 10_000;
const maxOutput = 64 << 10;

/** The `gh` command line and its sign-in on this machine. */
export class GhProgram {
  readonly #options: GhOptions;

  constructor(options: GhOptions) {
    this.#options = options;
  }

  get hostname(): string {
    return new URL(this.#options.addresses.webUrl).hostname;
  }

  /** Returns a version such as `2.23.0`, or undefined when `gh` is not installed. */
  async version(options: GitHostCallOptions = {}): Promise<string | undefined> {
    const { stdout, isMissing } = await this.#run(['--version'], options);
    return isMissing ? undefined : /\d+\.\d+\.\d+/.exec(stdout)?.[0];
  }

  /** Returns whether `gh` is signed in and the host still accepts its token. */
  async isSignedIn(options: GitHostCallOptions = {}): Promise<boolean> {
    return (await this.#run(['auth', 'status', '--hostname', this.hostname], options)).code === 0;
  }

  async token(options: GitHostCallOptions = {}): Promise<string> {
    const { code, stdout, isMissing } = await this.#run(['auth', 'token', '--hostname', this.hostname], options);
    const token = stdout.trim();
    if (isMissing) throw new GitHostError('unauthorized', `${this.#options.file} is not installed on this machine`);
    if (code !== 0 || !/^[\w.-]{8,}$/.test(token))
      throw new GitHostError('unauthorized', `nobody is signed in with ${this.#options.file} at ${this.hostname}`);
    return token;
  }

  /** Command that a user runs on this machine to sign in. */
  get signInCommand(): string[] {
    const { file, configDir } = this.#options;
    const args = ['auth', 'login', '--hostname', this.hostname, '--git-protocol', 'https', '--web'];
    const place = configDir ? ['env', `GH_CONFIG_DIR=${configDir}`] : [];
    return [...place, file, ...args, '--scopes', wantedScopes.join(',')];
  }

  /** Command that installs `gh`; undefined without a known package manager. */
  get installCommand(): string[] | undefined {
    return installCommand(this.#options.path);
  }

  #run(args: string[], { signal }: GitHostCallOptions): Promise<Run> {
    const { file, home, path, configDir } = this.#options;
    const env = {
      HOME: home,
      PATH: path,
      LC_ALL: 'C',
      NO_COLOR: '1',
      GH_PROMPT_DISABLED: '1',
      GH_NO_UPDATE_NOTIFIER: '1',
      ...(configDir && { GH_CONFIG_DIR: configDir }),
    };
    return new Promise((resolve, reject) => {
      execFile(file, args, { env, signal, timeout: deadlineMs, maxBuffer: maxOutput }, (error, stdout, stderr) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const { code, killed } = (error ?? {}) as { code?: number | string; killed?: boolean };
        if (killed) return reject(new GitHostError('unavailable', `${file} did not respond in time`));
        const isMissing = code === 'ENOENT' || code === 'EACCES';
        return resolve({ code: error ? (typeof code === 'number' ? code : null) : 0, stdout, stderr, isMissing });
      });
    });
  }
}
