import { AppError, badRequest, forbidden } from '../../../errors.ts';
import type { ConnectWay } from './connect-table.ts';

const notConfigured = (sentence: string) => new AppError('not_configured', sentence);

/** Ways of the table that lead nowhere, with what can be done about it. */
export const connectRefusals = {
  only_owner: () => forbidden("the sign-in of this machine's owner can only be used by the instance owner"),
  no_cli_in_cloud: () => badRequest('source cli is not available in cloud mode', 'source'),
  no_proof: () =>
    notConfigured(
      'whose installation of the app it is, only a sign-in can show; set GITHOST_CLIENT_ID and GITHOST_CLIENT_SECRET to those of the app',
    ),
  no_client: () => notConfigured('there is no OAuth client; set GITHOST_CLIENT_ID and GITHOST_CLIENT_SECRET'),
  nothing: () =>
    notConfigured(
      'there is no way to the git host yet; set up an app (GITHOST_APP_ID) or an OAuth client (GITHOST_CLIENT_ID), or, where the machine is your own, install gh on it',
    ),
} satisfies Partial<Record<ConnectWay, () => AppError>>;

export const noApp = () => notConfigured('there is no app; set GITHOST_APP_ID and its private key');

export const isRefusal = (way: ConnectWay): way is keyof typeof connectRefusals => way in connectRefusals;
