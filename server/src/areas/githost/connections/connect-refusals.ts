import { AppError, badRequest, forbidden } from '../../../errors.ts';
import type { ConnectWay } from './connect-table.ts';

const notConfigured = (sentence: string) => new AppError('not_configured', sentence);

/** Table rows that end in an error. */
export const connectRefusals = {
  only_owner: () => forbidden('only the instance owner can use the gh sign-in of this machine'),
  no_cli_in_cloud: () => badRequest('source cli is not available in cloud mode', 'source'),
  no_proof: () =>
    notConfigured(
      'Mooring needs the OAuth client of the app to verify who owns an installation; set GITHOST_CLIENT_ID and GITHOST_CLIENT_SECRET',
    ),
  no_client: () => notConfigured('no OAuth client is configured; set GITHOST_CLIENT_ID and GITHOST_CLIENT_SECRET'),
  nothing: () =>
    notConfigured(
      'no connection to the git host is configured; set up an app (GITHOST_APP_ID) or an OAuth client (GITHOST_CLIENT_ID), or install gh on this machine',
    ),
} satisfies Partial<Record<ConnectWay, () => AppError>>;

export const noApp = () => notConfigured('no app is configured; set GITHOST_APP_ID and its private key');

export const isConnectRefusal = (way: ConnectWay): way is keyof typeof connectRefusals => way in connectRefusals;
