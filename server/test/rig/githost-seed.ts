import { generateKeyPairSync } from 'node:crypto';

export const oauthApp = { clientId: 'Iv1.rig', clientSecret: 'the secret of the client' };
export const appId = 7;
/** The installations of the rig's app. For the user, only selected repositories. */
export const installations = [
  { id: 70, account: 'team', type: 'Organization', repositories: undefined },
  { id: 71, account: 'octo', type: 'User', repositories: ['mine'] },
  { id: 72, account: 'rivals', type: 'Organization', repositories: undefined },
];
/** Preset user tokens. */
export const userTokens: Record<string, string> = {
  gho_octo_0123456789abcdef: 'octo',
  gho_rita_0123456789abcdef: 'rita',
};

/** The owners whose repositories each user sees. */
export const memberOf: Record<string, string[]> = { octo: ['octo', 'team'], rita: ['rita', 'rivals'] };

const permissions = { contents: 'write', metadata: 'read', administration: 'write', statuses: 'write' };

export const newAppKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

/** The initial repositories, all private but one. */
export const repositories = [
  { owner: 'team', name: 'shop' },
  { owner: 'team', name: 'docs' },
  { owner: 'octo', name: 'mine' },
  { owner: 'octo', name: 'unselected' },
  { owner: 'rivals', name: 'secret' },
  { owner: 'rivals', name: 'open' },
];

/** The seed of the emulator. */
export const seedOf = (privateKey: string, redirectUris: string[]) => ({
  tokens: Object.fromEntries(Object.entries(userTokens).map(([token, login]) => [token, { login, scopes: ['repo'] }])),
  github: {
    users: [{ login: 'octo' }, { login: 'rita' }],
    orgs: [
      { login: 'team', members: [{ login: 'octo', role: 'admin' }] },
      { login: 'rivals', members: [{ login: 'rita', role: 'admin' }] },
    ],
    repos: repositories.map((each) => ({ ...each, private: each.name !== 'open' })),
    oauth_apps: [
      { client_id: oauthApp.clientId, client_secret: oauthApp.clientSecret, name: 'Rig', redirect_uris: redirectUris },
    ],
    apps: [
      {
        app_id: appId,
        slug: 'rig-app',
        name: 'Rig',
        private_key: privateKey,
        permissions,
        events: ['push'],
        installations: installations.map(({ id, account, repositories }) => ({
          installation_id: id,
          account,
          repository_selection: repositories ? 'selected' : 'all',
          ...(repositories && { repositories }),
          permissions,
        })),
      },
    ],
  },
});
