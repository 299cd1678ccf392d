import { z } from '../../../lib/zod/index.ts';
import { GitHostError, isGitHostError } from '../errors.ts';
import type {
  Branch,
  GitHostCallOptions,
  ChangedFiles,
  CommitStatus,
  DirectoryEntry,
  HookTarget,
  RepositoryPath,
  Repository,
  RepositoryName,
} from '../githost.ts';
import type { GitHubClient } from './client.ts';
import type { GitHubCredential } from './credential.ts';
import { deleteHook, listHooks, registerHook } from './hook-calls.ts';
import { allPages } from './pages.ts';
import { apiPath, checkName, filePath } from './path.ts';
import * as shapes from './shapes.ts';

const largestFile = 1 << 20;
/** GitHub lists at most this many files of a comparison. */
const mostChangedFiles = 300;
const longestDescription = 140;
const directoryOrFile = z.union([z.array(shapes.directoryEntryShape), shapes.fileContentShape]);

/** Calls that all sources share; subclasses provide the credential. */
export abstract class RepositoryCalls {
  protected readonly client: GitHubClient;

  constructor(client: GitHubClient) {
    this.client = client;
  }

  /** Returns the credential for this owner's repositories. */
  protected abstract credential(owner: string, signal: AbortSignal | undefined): Promise<GitHubCredential>;
  /** Returns another credential after the host rejected the first, if there is one. */
  protected abstract renewed(
    owner: string,
    rejected: GitHubCredential,
    signal?: AbortSignal,
  ): Promise<GitHubCredential | undefined>;

  /** Runs a call with a credential, and once more with a renewed one if the host rejects it. */
  protected async with<T>(
    owner: string,
    signal: AbortSignal | undefined,
    call: (by: { credential: GitHubCredential; signal: AbortSignal | undefined }) => Promise<T>,
  ): Promise<T> {
    const credential = await this.credential(owner, signal);
    try {
      return await call({ credential, signal });
    } catch (error) {
      const other = isGitHostError(error, 'unauthorized') ? await this.renewed(owner, credential, signal) : undefined;
      if (!other) throw error;
      return call({ credential: other, signal });
    }
  }

  protected of<T>(
    name: RepositoryName,
    { signal }: GitHostCallOptions,
    call: (by: { credential: GitHubCredential; signal: AbortSignal | undefined }) => Promise<T>,
  ): Promise<T> {
    checkName(name);
    return this.with(name.owner, signal, call);
  }

  async repository(name: RepositoryName, options: GitHostCallOptions = {}): Promise<Repository> {
    const path = () => apiPath`/repos/${name.owner}/${name.name}`;
    return this.of(name, options, (by) => this.client.json({ path: path(), ...by }, this.client.shapes.repository));
  }

  async deleteRepository(name: RepositoryName, options: GitHostCallOptions = {}): Promise<void> {
    const path = () => apiPath`/repos/${name.owner}/${name.name}`;
    await this.of(name, options, (by) => this.client.call({ method: 'DELETE', path: path(), ...by }));
  }

  async branches(name: RepositoryName, options: GitHostCallOptions = {}): Promise<Branch[]> {
    const path = () => apiPath`/repos/${name.owner}/${name.name}/branches`;
    return this.of(name, options, (by) => allPages(this.client, { path: path(), ...by }, shapes.branchShape));
  }

  async branch(name: RepositoryName, branch: string, options: GitHostCallOptions = {}): Promise<Branch> {
    const path = () => apiPath`/repos/${name.owner}/${name.name}/branches/${branch}`;
    return this.of(name, options, (by) => this.client.json({ path: path(), ...by }, shapes.branchShape));
  }

  async changedFiles(
    name: RepositoryName,
    from: string,
    to: string,
    options: GitHostCallOptions = {},
  ): Promise<ChangedFiles> {
    const path = () => apiPath`/repos/${name.owner}/${name.name}/compare/${`${from}...${to}`}`;
    const call = (by: object) => ({ path: path(), credential: undefined, ...by });
    const { files = [] } = await this.of(name, options, (by) => this.client.json(call(by), shapes.comparisonShape));
    const names = files.flatMap((each) => [each.filename, each.previous_filename ?? each.filename]);
    return { files: [...new Set(names)], isComplete: files.length < mostChangedFiles };
  }

  /** GitHub returns at most 1,000 entries. */
  async directory(
    name: RepositoryName,
    place: RepositoryPath,
    options: GitHostCallOptions = {},
  ): Promise<DirectoryEntry[]> {
    const found = await this.#contents(name, place, options);
    if (!Array.isArray(found)) throw new GitHostError('invalid', `${place.path} is not a directory`);
    return [...found];
  }

  async file(name: RepositoryName, place: RepositoryPath, options: GitHostCallOptions = {}): Promise<Buffer> {
    const found = await this.#contents(name, place, options);
    if (Array.isArray(found) || found.type !== 'file') throw new GitHostError('invalid', `${place.path} is not a file`);
    if (found.size > largestFile || found.encoding !== 'base64')
      throw new GitHostError('invalid', `${place.path} is too large to be shown (${found.size} bytes)`);
    return Buffer.from(found.content ?? '', 'base64');
  }

  #contents(name: RepositoryName, { path, branch }: RepositoryPath, options: GitHostCallOptions) {
    const address = () => `${apiPath`/repos/${name.owner}/${name.name}/contents`}/${filePath(path)}`.replace(/\/$/, '');
    const query = { ref: branch };
    return this.of(name, options, (by) => this.client.json({ path: address(), query, ...by }, directoryOrFile));
  }

  async hooks(name: RepositoryName, options: GitHostCallOptions = {}) {
    return this.of(name, options, (by) => listHooks(this.client, name, by));
  }

  async registerHook(name: RepositoryName, target: HookTarget, options: GitHostCallOptions = {}) {
    return this.of(name, options, (by) => registerHook(this.client, name, target, by));
  }

  async deleteHook(name: RepositoryName, hookId: number, options: GitHostCallOptions = {}): Promise<void> {
    return this.of(name, options, (by) => deleteHook(this.client, name, hookId, by));
  }

  async setStatus(name: RepositoryName, status: CommitStatus, options: GitHostCallOptions = {}): Promise<void> {
    const { state, context, description, targetUrl } = status;
    const path = () => apiPath`/repos/${name.owner}/${name.name}/statuses/${status.commitSha}`;
    const body = { state, context, description: description.slice(0, longestDescription), target_url: targetUrl };
    await this.of(name, options, (by) => this.client.call({ method: 'POST', path: path(), body, ...by }));
  }
}
