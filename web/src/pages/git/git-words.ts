import type { Project } from '../../api.ts';
import type { GitAccount, GitStatus, Repository } from '../../githost-queries.ts';

type State = GitStatus['state'];

export const stateTitles: Record<State, string> = {
  connected: 'Connected',
  disconnected: 'Not connected',
  suspended: 'App suspended',
  signed_out: 'Signed out',
  unavailable: 'Not reachable',
};

/** The meaning of a state other than connected, and what to do. */
export const stateHelp: Partial<Record<State, string>> = {
  suspended:
    'The app is suspended at the git host, so nothing can be cloned and pushes are not deployed. Unsuspend it in the settings of the installation there.',
  signed_out:
    'The git host no longer accepts the stored credentials. Connect again to deploy pushes and to list repositories.',
  unavailable:
    'The git host does not respond at the moment. Running releases are not affected, and pushes are deployed once it answers again.',
};

export type ConnectionSource = GitAccount['source'];

export const sourceTitles: Record<ConnectionSource, string> = {
  app: 'GitHub App',
  oauth: 'OAuth sign-in',
  cli: 'gh on this machine',
};

const nameOf = (source: { owner: string; repo: string }) => `${source.owner}/${source.repo}`.toLowerCase();

/** The projects that follow a repository. */
export const followersOf = (projects: Project[], { fullName }: Pick<Repository, 'fullName'>): Project[] =>
  projects.filter(({ source }) => source.type === 'githost' && nameOf(source) === fullName.toLowerCase());

export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
