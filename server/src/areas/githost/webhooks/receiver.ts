import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type Db, inTransaction } from '../../../db/database.ts';
import { parseWebhook } from '../../../drivers/githost/github/webhooks/events.ts';
import { isSignature } from '../../../drivers/githost/github/webhooks/signature.ts';
import type { GitHostEvent } from '../../../drivers/githost/webhook-events.ts';
import { AppError, badRequest } from '../../../errors.ts';
import { RateLimit } from '../../../http/rate-limit.ts';
import { addressGroup } from '../../../lib/addresses.ts';
import { drainRefusedBody } from '../../../lib/drain-refused-body.ts';
import { withGitHostErrors } from '../refusals.ts';
import { requeueDelivery, insertDelivery, organizationsOfInstallation, selectSameDelivery } from './delivery-store.ts';
import { selectHooksOf } from './hook-store.ts';
import type { Hooks } from './hooks.ts';
import type { DeliveryForwarder, DeliveryKey, PushListener } from './listener.ts';
import { newDeliveryRow } from './new-delivery.ts';
import { BodyIntake, largestBody } from './raw-body.ts';
import { signerOf, mayReportAbout } from './signer.ts';

type Deps = {
  db: Db;
  hooks: Hooks;
  appSecret: string | undefined;
  listener: () => PushListener | undefined;
  handover: () => DeliveryForwarder | undefined;
  /** Rejected requests per minute and address before rate limiting. */
  refusalLimit: number;
  /** Called when a delivery is queued. */
  onReceived: () => void;
};

/** `accepted`: stored for at least one organization. `ignored`: concerns none. */
export type DeliveryReceipt = 'accepted' | 'duplicate' | 'ignored';

/** Receives webhooks: verifies the signature, stores the delivery, and leaves the rest to the worker. */
export class Receiver {
  readonly #deps: Deps;
  readonly #intake = new BodyIntake(64_000_000);
  /** For addresses over the limit, so that they do not take memory from others. */
  readonly #narrowIntake = new BodyIntake(largestBody);
  /**
   * Only rejected requests count. Behind a proxy an attacker may share the git host's address, so signed requests are
   * accepted in any case.
   */
  readonly #refusals: RateLimit;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#refusals = new RateLimit(deps.refusalLimit);
  }

  async receive(headers: IncomingHttpHeaders, raw: Readable, ip: string): Promise<DeliveryReceipt> {
    try {
      const tooMany = this.#tooMany(ip);
      // Unsigned bodies are not read.
      if (tooMany && !isSignature(headers['x-hub-signature-256'])) throw tooMany;
      const intake = tooMany ? this.#narrowIntake : this.#intake;
      return await intake.read(raw, headers, (body) => this.#take(headers, body, ip));
    } catch (error) {
      drainRefusedBody(raw);
      throw error;
    }
  }

  async #take(headers: IncomingHttpHeaders, body: Buffer, ip: string): Promise<DeliveryReceipt> {
    const { hooks, appSecret: app } = this.#deps;
    const signer = await signerOf(headers, body, { app, ofRepository: (id) => hooks.secretsOf(id) });
    if (!signer) throw this.#refused(ip);
    const guid = headers['x-github-delivery'];
    if (typeof guid !== 'string' || !/^[\w-]{1,100}$/.test(guid)) throw badRequest('X-GitHub-Delivery is required');
    const event = await withGitHostErrors(async () =>
      parseWebhook(String(headers['x-github-event'] ?? ''), body, headers['content-type']),
    );
    if (!mayReportAbout(signer, event)) throw this.#refused(ip);
    const digest = createHash('sha256').update(body).digest('hex');
    const isHandedOn = signer === 'app' && (await this.#handOn(event, { guid, digest }));
    const receipt = await this.#store(event, { guid, digest }, await this.#concerned(event));
    return isHandedOn && receipt === 'ignored' ? 'accepted' : receipt;
  }

  /** Accepts an event that the cloud forwarded for this organization only. */
  async take(organizationId: string, event: GitHostEvent, named: DeliveryKey): Promise<DeliveryReceipt> {
    const concerned = await this.#concerned(event);
    return this.#store(event, named, concerned.includes(organizationId) ? [organizationId] : []);
  }

  async #handOn(event: GitHostEvent, named: DeliveryKey): Promise<boolean> {
    const handover = this.#deps.handover();
    return event.type === 'push' && handover !== undefined && (await handover.pushed(event, named)) > 0;
  }

  /** Returns the rate-limit error of this address, if any. */
  #tooMany(ip: string): AppError | undefined {
    try {
      this.#refusals.check(addressGroup(ip));
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  #refused(ip: string): AppError {
    const tooMany = this.#tooMany(ip);
    if (tooMany) return tooMany;
    this.#refusals.take(addressGroup(ip));
    return new AppError('unauthenticated', 'the signature is missing or not valid');
  }

  async #concerned(event: GitHostEvent): Promise<string[]> {
    const { db, listener } = this.#deps;
    if (event.type === 'installation' || event.type === 'repositories')
      return organizationsOfInstallation(db, event.installation.id);
    if (event.type !== 'push' && event.type !== 'ping') return [];
    if (!event.repository) return [];
    const { id } = event.repository;
    const own = (await selectHooksOf(db, id)).map(({ organizationId }) => organizationId);
    return [...new Set([...own, ...((await listener()?.organizationsOf(id)) ?? [])])];
  }

  /** Stores one row per organization; an existing one is handled again only if it failed. */
  async #store(event: GitHostEvent, named: DeliveryKey, organizations: string[]): Promise<DeliveryReceipt> {
    const { db, onReceived } = this.#deps;
    if (!organizations.length) return 'ignored';
    const known = await Promise.all(organizations.map((each) => selectSameDelivery(db, each, named)));
    if (known.every((row) => row && row.status !== 'failed')) return 'duplicate';
    await inTransaction(db, async (trx) => {
      for (const [i, organizationId] of organizations.entries()) {
        const same = known[i];
        if (!same) await insertDelivery(trx, newDeliveryRow(event, { ...named, organizationId }));
        else if (same.status === 'failed') await requeueDelivery(trx, organizationId, same.id);
      }
    });
    onReceived();
    return 'accepted';
  }
}
