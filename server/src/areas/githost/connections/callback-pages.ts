import { failed, type Result } from './result-page.ts';

// What a browser is shown at the end.

export const sentence = (message: string): string => `${message[0]!.toUpperCase()}${message.slice(1)}.`;
export const installedFor = (logins: string[]): string => `The app works for ${logins.toSorted().join(', ')}.`;

export const declined = (error: string): Result =>
  error === 'access_denied'
    ? failed('Not connected', 'The access was declined at the git host.')
    : failed('Not connected', 'The git host did not sign you in. Its OAuth client may not be set up for this address.');

export const nobodyBegan = failed(
  'Nothing was connected',
  'This address works once, for whoever has begun to connect here. It was used already, or nobody has.',
);
export const tooLate = failed('Too late', 'It took longer than ten minutes.');
export const otherBrowser = failed(
  'Not connected',
  'This was begun in another browser, or begun again since. For your safety it can only be finished where it was begun.',
);
export const notTheirs = failed(
  'Not connected',
  'The app is not installed for an account that you administer, or belongs to another organization here.',
);
export const noProof = failed(
  'Not connected',
  'The app is installed, but nothing shows whose it is: the OAuth client of the app is not set up (GITHOST_CLIENT_ID and GITHOST_CLIENT_SECRET).',
);
export const askedFor: Result = {
  status: 200,
  title: 'Asked for',
  lines: ['An owner of the account has to approve the app at the git host. Connect again when they have.'],
};

type Asked = Record<'what' | 'access' | 'organization' | 'email' | 'origin' | 'url', string>;

/** Names everything that somebody who was sent here by a stranger would wonder about. */
export const question = ({ what, access, organization, email, origin, url }: Asked): Result => ({
  status: 200,
  title: 'Connect?',
  lines: [
    what,
    `The organization ${organization} gets access to ${access}, as ${email} has asked at ${origin}.`,
    'If you have not asked for this yourself, close this page: then nothing happens.',
  ],
  go: { url, label: `Connect to ${organization}` },
});
