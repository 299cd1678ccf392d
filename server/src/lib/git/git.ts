import { archiveLimits } from '../archive/archive.ts';

/** Runs git with an argument array. `onStdout` receives its output as it arrives: if it throws, git is killed and the
 * call fails with that error. */
export type RunGit = (
  args: string[],
  cwd: string,
  onStdout?: (chunk: Buffer) => void,
) => Promise<{ code: number | null; stdout: string; stderr: string }>;

export type Checkout = { commitSha: string; commitMessage: string };

export class GitError extends Error {
  override name = 'GitError';
}

/** SSH access of git: one key, and a known_hosts file that pins hosts on first use. */
export type SshAccess = { keyFile: string; knownHostsFile: string };

const nothing: SshAccess = { keyFile: '/dev/null', knownHostsFile: '/dev/null' };

/** Environment of git: no prompts, no user configuration, no transport that reads local files. */
export const gitEnvironment = (ssh = nothing): Record<string, string> => ({
  // Git runs with the service's privileges, so it must not read anything that a project can write: a project's
  // `.netrc` could be a symlink to the operator's. Nothing can exist below a device.
  HOME: '/dev/null',
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ALLOW_PROTOCOL: 'http:https:ssh',
  // Excludes the service account's own keys and known hosts.
  GIT_SSH_COMMAND: sshCommand(ssh),
});

// Git passes this to a shell, so our two paths are quoted; ssh itself interprets quotes and % in options.
const sshCommand = ({ keyFile, knownHostsFile }: SshAccess): string =>
  [
    'ssh -F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none -o StrictHostKeyChecking=accept-new',
    '-o ConnectTimeout=15 -o ServerAliveInterval=15',
    `-o ${quoted(`IdentityFile="${keyFile.replaceAll('%', '%%')}"`)}`,
    `-o ${quoted(`UserKnownHostsFile="${knownHostsFile.replaceAll('%', '%%')}"`)}`,
  ].join(' ');

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Whether git reaches it by SSH. */
export const isSshAddress = (url: string): boolean => url.startsWith('ssh://') || !url.includes('://');

/** Fetches one commit into an empty folder: the tip of a branch, `refs/tags/...`, or exactly `commitSha`. */
export async function checkout(
  git: RunGit,
  folder: string,
  url: string,
  branch: string | null,
  commitSha: string | null,
): Promise<Checkout> {
  await must(git, ['init', '--quiet'], folder);
  await fetchCommit(git, folder, url, branch, commitSha);
  const commit = commitSha ?? 'FETCH_HEAD';
  await requireFewFiles(git, folder, commit);
  await must(git, ['-c', 'advice.detachedHead=false', 'checkout', '--quiet', '--force', commit, '--'], folder);
  const [sha = '', ...message] = (await must(git, ['log', '-1', '--format=%H%n%B'], folder)).split('\n');
  return { commitSha: sha, commitMessage: message.join('\n').trim().slice(0, 2000) };
}

/** A few objects can stand for billions of files, because a tree may contain the same tree many times. Folders count
 * too. */
async function requireFewFiles(git: RunGit, folder: string, commit: string): Promise<void> {
  let entries = 0;
  const count = (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 0) entries++;
    if (entries > archiveLimits.entries)
      throw new GitError(`the commit holds more than ${archiveLimits.entries} files and folders`);
  };
  const { code, stderr } = await git(['ls-tree', '-r', '-t', '-z', '--name-only', commit], folder, count);
  if (code !== 0) throw new GitError(reasonIn(stderr) || `git ls-tree ended with ${code}`);
}

async function fetchCommit(
  git: RunGit,
  folder: string,
  url: string,
  branch: string | null,
  commitSha: string | null,
): Promise<void> {
  const fetch = (depth: string[], ref: string) =>
    git(['fetch', '--quiet', '--no-tags', ...depth, '--', url, ref], folder);
  const tip = branch ? (branch.startsWith('refs/tags/') ? branch : `refs/heads/${branch}`) : 'HEAD';
  const wanted = commitSha ?? tip;
  const first = await fetch(['--depth=1'], wanted);
  if (first.code === 0) return;
  if (!commitSha) throw new GitError(reasonIn(first.stderr));
  // Not every host serves single commits; fall back to the whole branch.
  const second = await fetch([], tip);
  if (second.code !== 0) throw new GitError(reasonIn(second.stderr));
}

async function must(git: RunGit, args: string[], folder: string): Promise<string> {
  const { code, stdout, stderr } = await git(args, folder);
  if (code !== 0) throw new GitError(reasonIn(stderr) || `git ${args[0]} ended with ${code}`);
  return stdout;
}

// ssh's error precedes git's own, which ends with advice.
const sshReason =
  /^(ssh: .*|Host key verification failed\.?|.*: Permission denied.*|Connection (closed|reset|timed out).*)$/;

/** Returns the line of git's output that explains the failure. */
function reasonIn(text: string): string {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.trim());
  const reason =
    lines.find((line) => sshReason.test(line)) ?? lines.findLast((line) => line.startsWith('fatal: ')) ?? lines.at(-1);
  return reason?.replace(/^(fatal|error): /, '') ?? '';
}
