import { createHash } from 'node:crypto';
import type { DomainTable } from '../../../db/tables.ts';
import { AppError } from '../../../errors.ts';
import { RateLimit } from '../../../http/rate-limit.ts';
import { OutboundError } from '../../../lib/outbound.ts';
import type { FreeHolder } from '../free-names.ts';

const longestName = 253;
const looksPerMinute = 30;

/**
 * TXT record that proves ownership of a name. The value is not secret: it is valid for one name, organization and
 * instance.
 */
export interface OwnershipRecord {
  record: string;
  value: string;
}

type Options = {
  instanceId: string;
  /** Looks up the TXT records of a name. */
  texts: (name: string) => Promise<string[]>;
};

/** The project that has a name, as a domain or below the domain of a server. */
export type NameHolder = DomainTable | FreeHolder;

/** The name belongs to another organization. The response must not reveal which one. */
export class NameHeldElsewhereError extends AppError {
  readonly holder: NameHolder;

  constructor(holder: NameHolder, message: string) {
    super('conflict', `${holder.name} belongs to another project of this instance`, { message });
    this.holder = holder;
  }
}

/**
 * Names are first come, first served, but an organization that proves ownership by DNS gets a name from one that does
 * not.
 */
export class OwnershipClaims {
  readonly #options: Options;
  readonly #looks = new RateLimit(looksPerMinute);

  constructor(options: Options) {
    this.#options = options;
  }

  /** Returns the error that explains how to prove ownership. Makes no DNS query. */
  refusal(holder: NameHolder, claimant: string, seen = ''): NameHeldElsewhereError {
    const { record, value } = this.#recordOf(holder.name, claimant);
    if (record.length > longestName)
      return new NameHeldElsewhereError(
        holder,
        'a domain this long leaves no room for the TXT record that proves ownership',
      );
    const how = `if the domain is yours, create the TXT record ${record} with the value ${value} and add it to the project again`;
    return new NameHeldElsewhereError(holder, seen ? `${how} (${seen})` : how);
  }

  /** Checks the TXT record; throws if it does not prove that the claimant owns the name. */
  async require(holder: NameHolder, claimant: string): Promise<void> {
    const { record, value } = this.#recordOf(holder.name, claimant);
    if (record.length > longestName) throw this.refusal(holder, claimant);
    this.#looks.take(claimant);
    const found = await this.#options.texts(record).catch((error: unknown) => {
      if (error instanceof OutboundError) throw this.refusal(holder, claimant, error.message);
      throw error;
    });
    if (!found.includes(value))
      throw this.refusal(
        holder,
        claimant,
        found.length ? 'the record has another value' : 'there is no such record yet',
      );
    // A holder with a valid record keeps the name: otherwise the two could take it from each other forever.
    if (found.includes(this.#recordOf(holder.name, holder.organizationId).value))
      throw new NameHeldElsewhereError(
        holder,
        `the TXT record ${record} also names that project; remove that value first`,
      );
  }

  #recordOf(name: string, organizationId: string): OwnershipRecord {
    const bound = JSON.stringify(['mooring owner', this.#options.instanceId, organizationId, name]);
    return {
      record: `_mooring.${name}`,
      value: `mooring-owner=${createHash('sha256').update(bound).digest('hex').slice(0, 40)}`,
    };
  }
}
