import { archiveLimits } from '../archive/archive.ts';

/** Runs git with an argument array; the caller knows how. `onStdout` gets what it prints as it comes: when that throws, git is
 * ended and the call fails with its error. */
export type RunGit = (
  args: string[],
  cwd: string,
  onStdout?: (chunk: Buffer) => void,
) => Promise<{ code: number | null; stdout: string; stderr: string }>;

export type Checkout = { commitSha: string; commitMessage: string };

export class GitError extends Error {
  override name = 'GitError';
}

/** How git proves itself over ssh: one key, and a list of hosts that are pinned when they are first seen. */
export type SshAccess = { keyFile: string; knownHostsFile: string };

const nothing: SshAccess = { keyFile: '/dev/null', knownHostsFile: '/dev/null' };

/** What git may see of the machine: no prompts, no configuration of anybody's, no transport that reads local files. */
export const gitEnvironment = (ssh = nothing): Record<string, string> => ({
  // Git runs with the service's rights, so it must find nothing that a project can write: `.netrc` of a project's home could
  // be a link to the operator's. Nothing can be put below a device.
  HOME: '/dev/null',
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ALLOW_PROTOCOL: 'http:https:ssh',
  // Nothing of the service's own account: neither its keys nor its list of known hosts.
  GIT_SSH_COMMAND: sshCommand(ssh),
});

// Git gives this to a shell, so what is ours in it (two paths) is quoted; ssh itself reads quotes and % in options.
const sshCommand = ({ keyFile, knownHostsFile }: SshAccess): string =>
  [
    'ssh -F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none -o StrictHostKeyChecking=accept-new',
    '-o ConnectTimeout=15 -o ServerAliveInterval=15',
    `-o ${quoted(`IdentityFile="${keyFile.replaceAll('%', '%%')}"`)}`,
    `-o ${quoted(`UserKnownHostsFile="${knownHostsFile.replaceAll('%', '%%')}"`)}`,
  ].join(' ');

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Whether git reaches it by ssh. */
export const isSshAddress = (url: string): boolean => url.startsWith('ssh://') || !url.includes('://');

/** Fetches one commit into an empty folder: the tip of a branch, or exactly `commitSha`. */
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

/** A few objects can stand for billions of files: a folder may hold the same folder many times. Folders count too. */
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
  const wanted = commitSha ?? (branch ? `refs/heads/${branch}` : 'HEAD');
  const first = await fetch(['--depth=1'], wanted);
  if (first.code === 0) return;
  if (!commitSha) throw new GitError(reasonIn(first.stderr));
  // Not every host gives single commits; then the whole branch has it, or nobody does.
  const second = await fetch([], branch ? `refs/heads/${branch}` : 'HEAD');
  if (second.code !== 0) throw new GitError(reasonIn(second.stderr));
}

async function must(git: RunGit, args: string[], folder: string): Promise<string> {
  const { code, stdout, stderr } = await git(args, folder);
  if (code !== 0) throw new GitError(reasonIn(stderr) || `git ${args[0]} ended with ${code}`);
  return stdout;
}

// What ssh says stands before git's own words, which end with advice.
const sshReason =
  /^(ssh: .*|Host key verification failed\.?|.*: Permission denied.*|Connection (closed|reset|timed out).*)$/;

/** The one line of git's complaint that says why. */
function reasonIn(text: string): string {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.trim());
  const reason =
    lines.find((line) => sshReason.test(line)) ?? lines.findLast((line) => line.startsWith('fatal: ')) ?? lines.at(-1);
  return reason?.replace(/^(fatal|error): /, '') ?? '';
}
