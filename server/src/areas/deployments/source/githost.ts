import { setTimeout as sleep } from 'node:timers/promises';
import { GitHostError } from '../../../drivers/githost/errors.ts';
import { GitError } from '../../../lib/git/git.ts';
import { credentialEnvironment } from '../../../lib/git/credential.ts';
import { redactor } from '../../../lib/redact.ts';
import { type GitHostSource, StepError } from '../model/model.ts';
import type { RepositoryAccess } from '../model/parts.ts';
import { checkoutInto, gitOf } from './git.ts';
import type { StepContext } from '../model/step.ts';

const tries = 3;
/** Errors that a retry cannot fix: a missing branch or commit, or a repository that is too large. */
const final = /remote ref|not our ref|not a tree|bad object|holds more than/i;
const isAway = (error: unknown) => error instanceof GitHostError && error.code === 'unavailable';
const pauseMs = 2000;

/** Fetches one commit of a git host's repository with a temporary credential that is revoked afterwards. */
export async function fetchGitHost(context: StepContext, folder: string, source: GitHostSource) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchOnce(context, folder, source);
    } catch (error) {
      // The git host may fail briefly, and a new credential takes a moment to propagate.
      const mayPass = error instanceof GitError ? !final.test(error.message) : isAway(error);
      if (!mayPass || attempt === tries) throw forPerson(error, source);
      context.log(`Retrying: ${(error as Error).message}`, 'warn');
      await sleep(pauseMs, undefined, { signal: context.signal });
    }
  }
}

async function fetchOnce(context: StepContext, folder: string, source: GitHostSource) {
  const { parts, deployment, signal } = context;
  const access = await parts.accessRepository(deployment.organizationId, source, signal);
  const redact = redactor([access.credential.password]);
  try {
    const git = gitOf(context, credentialEnvironment(access.credential));
    return await checkoutInto(context, git, folder, { ...source, url: access.url }, { redact });
  } catch (error) {
    throw error instanceof GitError ? new GitError(redact(error.message)) : error;
  } finally {
    await endOf(context, access);
  }
}

/** A failure to revoke is harmless: the token expires within an hour. */
async function endOf({ log }: StepContext, access: RepositoryAccess): Promise<void> {
  await access.end().catch((error: unknown) => {
    if (!(error instanceof GitHostError)) throw error;
    log('The token for the repository could not be revoked; it expires within an hour.', 'warn');
  });
}

function forPerson(error: unknown, { owner, repo }: GitHostSource): unknown {
  const name = `${owner}/${repo}`;
  if (error instanceof GitError)
    return new StepError('source_failed', `fetching ${name}: ${error.message}`, 'Check the branch and the commit.');
  if (!(error instanceof GitHostError)) return error;
  const isLost = ['not_found', 'unauthorized', 'forbidden'].includes(error.code);
  const hint = isLost
    ? `Reconnect the git host with access to ${name}, or link the project to another repository. Then redeploy.`
    : 'Redeploy when the git host responds again.';
  return new StepError('source_failed', `fetching ${name}: ${error.message}`, hint);
}
