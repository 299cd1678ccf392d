import { failurePage, type PageContent } from './result-page.ts';

// Pages shown in the browser at the end of the flow.

export const pageSentence = (message: string): string => `${message[0]!.toUpperCase()}${message.slice(1)}.`;
export const installedFor = (logins: string[]): string => `The app works for ${logins.toSorted().join(', ')}.`;

export const declinedPage = (error: string): PageContent =>
  error === 'access_denied'
    ? failurePage('Not connected', 'Access was denied at the git host.')
    : failurePage(
        'Not connected',
        'The git host did not sign you in. Its OAuth client may not be set up for this address.',
      );

export const unknownSignInPage = failurePage(
  'Nothing was connected',
  'This link works once, for the person who started connecting. It has been used already, or has expired.',
);
export const expiredSignInPage = failurePage('Too late', 'It took longer than ten minutes.');
export const otherBrowserPage = failurePage(
  'Not connected',
  'This was started in another browser, or started again since. For your safety it must be finished in the same browser.',
);
export const notAdministeredPage = failurePage(
  'Not connected',
  'The app is not installed for an account that you administer, or belongs to another organization here.',
);
export const unverifiedOwnerPage = failurePage(
  'Not connected',
  'The app is installed, but Mooring cannot verify who owns the installation: the OAuth client of the app is not configured (GITHOST_CLIENT_ID and GITHOST_CLIENT_SECRET).',
);
export const approvalRequestedPage: PageContent = {
  status: 200,
  title: 'Asked for',
  lines: ['An owner of the account has to approve the app at the git host. Connect again after that.'],
};

type Asked = Record<'what' | 'access' | 'organization' | 'email' | 'origin' | 'url', string>;

/** Names account, organization and requester, so that users can spot a request that is not theirs. */
export const consentPage = ({ what, access, organization, email, origin, url }: Asked): PageContent => ({
  status: 200,
  title: 'Connect?',
  lines: [
    what,
    `The organization ${organization} gets access to ${access}, as ${email} requested at ${origin}.`,
    'If you did not request this yourself, close this page. Nothing happens then.',
  ],
  go: { url, label: `Connect to ${organization}` },
});
