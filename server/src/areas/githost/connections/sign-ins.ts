import { type Db, inTransaction } from '../../../db/database.ts';
import type { GithostSignInTable } from '../../../db/tables.ts';
import { installAddress } from '../../../drivers/githost/github/addresses.ts';
import type { DeviceFlow } from '../../../drivers/githost/github/device-flow.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { Caller } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { recordAudit } from '../../access/port.ts';
import { deleteOlderSignIns, deleteDeviceSignIns, insertSignIn } from './sign-in-store.ts';

export const signInMs = 10 * 60_000;
/** Maximum of pending sign-ins per user. */
const mostOfPerson = 10;

type Options = { db: Db; sealer: Sealer; gitHost: GitHub; slug: () => Promise<string> };
/** `returnUrl` is where the browser goes at the end, if another instance started the flow. */
export type SignInStart = { caller: Caller; redirectUri: string; returnUrl?: string };
/** `nonce` is the cookie value, if a browser session started the flow. */
export type SignInRedirect = { url: string; nonce: string | undefined };

/** State and nonce known only to the consent page and its browser. */
export type Confirmation = { state: string; nonce: string };

type Begun = {
  kind: GithostSignInTable['kind'];
  state?: string;
  nonce?: string | undefined;
  secret?: string;
  redirectUri?: string;
  returnUrl?: string | undefined;
  flow?: DeviceFlow;
};

export const signInSecretLocation = (id: string) => ({ table: 'githost_sign_ins', column: 'secret', row: id });

/** A sign-in that only proves ownership needs no access to repositories. */
const proofScopes = ['read:org'];

/** Starts sign-ins. The state identifies them; it is stored hashed and works once. */
export class SignIns {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Starts a browser sign-in at the git host. */
  async web({ caller, redirectUri }: SignInStart): Promise<SignInRedirect> {
    const { url, state, codeVerifier } = this.#options.gitHost.oauth!.begin(redirectUri);
    const nonce = nonceFor(caller);
    await this.#begin(caller, { kind: 'web', state, nonce, secret: codeVerifier, redirectUri });
    return { url, nonce };
  }

  /** Starts the installation of the app. */
  async install({ caller, redirectUri, returnUrl }: SignInStart): Promise<SignInRedirect> {
    const [state, nonce] = [randomSecret(), nonceFor(caller, returnUrl)];
    const url = installAddress(this.#options.gitHost.addresses, await this.#options.slug(), state);
    await this.#begin(caller, { kind: 'install', state, nonce, redirectUri, returnUrl });
    return { url, nonce };
  }

  /** Starts a sign-in that only proves where the app is the user's. */
  async showing({ caller, redirectUri, returnUrl }: SignInStart): Promise<SignInRedirect> {
    const { url, state, codeVerifier } = this.#options.gitHost.oauth!.begin(redirectUri, proofScopes);
    const nonce = nonceFor(caller, returnUrl);
    await this.#begin(caller, { kind: 'proof', state, nonce, secret: codeVerifier, redirectUri, returnUrl });
    return { url, nonce };
  }

  /** Continues an installation with a sign-in that proves who owns it. */
  async proof(begun: GithostSignInTable): Promise<string> {
    const { url, state, codeVerifier } = this.#options.gitHost.oauth!.begin(begun.redirectUri!, proofScopes);
    const id = newId('ghs');
    await insertSignIn(this.#options.db, {
      ...begun,
      id,
      kind: 'proof',
      stateHash: hashSecret(state),
      secret: this.#options.sealer.seal(codeVerifier, signInSecretLocation(id)),
      ...lasting(),
    });
    return url;
  }

  /**
   * Starts the consent step: a user who only followed a link has not asked for the connection. `agreeing` is what the
   * consent leads to.
   */
  async confirmation(begun: GithostSignInTable, agreeing: string): Promise<Confirmation> {
    const [id, state, nonce] = [newId('ghs'), randomSecret(), randomSecret()];
    await insertSignIn(this.#options.db, {
      ...begun,
      id,
      kind: 'confirm',
      stateHash: hashSecret(state),
      nonceHash: hashSecret(nonce),
      secret: this.#options.sealer.seal(agreeing, signInSecretLocation(id)),
      ...lasting(),
    });
    return { state, nonce };
  }

  /** Starts a device login, replacing the user's previous one. */
  async device(caller: Caller, flow: DeviceFlow): Promise<void> {
    await this.#begin(caller, { kind: 'device', secret: flow.deviceCode, flow });
  }

  async #begin(caller: Caller, begun: Begun): Promise<void> {
    const { kind, state, nonce, secret, redirectUri, returnUrl, flow } = begun;
    const organizationId = caller.organization.id;
    const id = newId('ghs');
    await inTransaction(this.#options.db, async (trx) => {
      if (flow) await deleteDeviceSignIns(trx, organizationId, caller.userId);
      await insertSignIn(trx, {
        id,
        organizationId,
        userId: caller.userId,
        kind,
        stateHash: state ? hashSecret(state) : null,
        nonceHash: nonce ? hashSecret(nonce) : null,
        secret: secret ? this.#options.sealer.seal(secret, signInSecretLocation(id)) : null,
        redirectUri: redirectUri ?? null,
        returnUrl: returnUrl ?? null,
        userCode: flow?.userCode ?? null,
        verificationUri: flow?.verificationUri ?? null,
        intervalMs: flow?.intervalMs ?? null,
        nextPollAt: flow ? Date.now() + flow.intervalMs : null,
        mayClaim: caller.isInstanceOwner ? 1 : 0,
        outcome: null,
        ...lasting(),
        ...(flow && { expiresAt: flow.expiresAt }),
      });
      await deleteOlderSignIns(trx, organizationId, caller.userId, mostOfPerson);
      const note = { action: 'githost.connect_started', details: { flow: kind } } as const;
      await recordAudit(trx, organizationId, caller, note);
    });
  }
}

/** API clients have no cookies and open the URL in any browser; so do users of another instance. */
const nonceFor = ({ via }: Caller, returnUrl?: string): string | undefined =>
  via.type === 'session' && returnUrl === undefined ? randomSecret() : undefined;

const lasting = (now = Date.now()) => ({ createdAt: now, expiresAt: now + signInMs });
