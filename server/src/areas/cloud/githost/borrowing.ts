import { z } from '../../../lib/zod/index.ts';
import {
  type CloudAddress,
  type CloudCall,
  type CloudClient,
  type CloudJson,
  cloudUnreachable,
} from '../../../drivers/cloud/cloud-client.ts';
import type { InstallationToken, TokenScope } from '../../../drivers/githost/github/installation-tokens.ts';
import { AppError } from '../../../errors.ts';
import type { CloudGitHost, ConnectWanted, LentOverview } from '../../githost/port.ts';
import type { CloudLinks } from '../link/service.ts';
import { asGitHostError, hostRefusal } from './refusals.ts';
import {
  ConnectForLinkedAnswer,
  DeliveriesAnswer,
  HandedDelivery,
  LentOverviewAnswer,
  LentTokenAnswer,
} from './schemas.ts';

type Deps = { client: CloudClient; links: CloudLinks; callMs: number };

/** Skips deliveries of unknown types. */
const Pulled = DeliveriesAnswer.extend({ data: z.array(HandedDelivery.or(z.unknown().transform(() => undefined))) });
export type DeliveriesPage = z.output<typeof Pulled>;

const base = '/api/cloud/githost';
/** Short: the current token stays in use until it expires. */
const mintMs = 5000;
const waitSeconds = 25;
const hourMs = 3_600_000;

/** The app of the linked cloud. The link's token is sent nowhere else. */
export class BorrowedGitHostApp implements CloudGitHost {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async isLinked(organizationId: string): Promise<boolean> {
    return (await this.#deps.links.of(organizationId)) !== undefined;
  }

  async connectUrl(organizationId: string, wanted: ConnectWanted): Promise<string> {
    const call = { method: 'POST', path: `${base}/connect`, body: wanted };
    return (await this.#told(organizationId, call, ConnectForLinkedAnswer)).url;
  }

  async overview(organizationId: string): Promise<LentOverview> {
    const { data } = await this.#told(
      organizationId,
      { method: 'GET', path: `${base}/installations` },
      LentOverviewAnswer,
    );
    const installations = new Map(
      data.installations.map(({ suspendedAt, ...rest }) => [
        rest.id,
        { ...rest, suspendedAt: suspendedAt === null ? null : Date.parse(suspendedAt) || 0 },
      ]),
    );
    return { ...data, installations: [...installations.values()] };
  }

  async mint(organizationId: string, id: number, narrowing: TokenScope | undefined, signal?: AbortSignal) {
    const { client, links, callMs } = this.#deps;
    const withinMs = Math.min(mintMs, callMs);
    const call = { method: 'POST', path: `${base}/installations/${id}/token`, body: narrowing ?? {}, withinMs };
    try {
      const address = await links.require(organizationId);
      const answer = await client.json(address, { ...call, ...(signal && { signal }) });
      if (answer.status !== 200) throw hostRefusal(answer, address.token);
      return tokenIn(answer);
    } catch (error) {
      throw asGitHostError(error);
    }
  }

  /** Returns deliveries after the cursor; long-polls the cloud. */
  async deliveries(organizationId: string, after: string | null, signal: AbortSignal): Promise<DeliveriesPage> {
    const query = new URLSearchParams({ wait: String(waitSeconds), ...(after !== null && { after }) });
    const path = `${base}/deliveries?${query.toString()}`;
    const withinMs = (waitSeconds + 15) * 1000;
    return this.#told(organizationId, { method: 'GET', path, signal, withinMs, isLasting: true }, Pulled);
  }

  async #told<T>(organizationId: string, call: CloudCall, shape: z.ZodType<T>): Promise<T> {
    const address = await this.#deps.links.require(organizationId);
    const { status, body } = await this.#ask(address, call);
    if (status === 403)
      throw new AppError('not_configured', 'the token of the cloud link lacks the permission githost:write');
    if (status === 429) throw cloudUnreachable('is overloaded');
    if (status >= 400 && status < 500)
      throw new AppError('not_configured', 'the cloud cannot connect the git host for this instance');
    const { success, data, error } = shape.safeParse(body);
    if (status !== 200) throw cloudUnreachable(`answers with status ${status}`);
    if (!success) throw cloudUnreachable('sent a response that Mooring does not understand', error);
    return data;
  }

  async #ask(address: CloudAddress, call: CloudCall): Promise<CloudJson> {
    const { client, callMs } = this.#deps;
    try {
      return await client.json(address, { withinMs: callMs, ...call });
    } catch (error) {
      if (error instanceof AppError && error.code === 'cloud_refused')
        throw new AppError('not_configured', 'the cloud rejects the token of the link; link it again');
      throw error;
    }
  }
}

function tokenIn({ body }: CloudJson): InstallationToken {
  const { success, data, error } = LentTokenAnswer.safeParse(body);
  const expiresAt = success ? Date.parse(data.data.expiresAt) : 0;
  if (!success || !expiresAt) throw cloudUnreachable('sent a response that Mooring does not understand', error);
  // Tokens of the git host never live longer, whatever the cloud claims.
  return { value: data.data.token, expiresAt: Math.min(expiresAt, Date.now() + hourMs) };
}
