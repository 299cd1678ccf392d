import { createHash } from 'node:crypto';
import type { DomainTable } from '../../../db/tables.ts';
import { AppError } from '../../../errors.ts';
import { RequestLimit } from '../../../http/limits.ts';
import { OutboundError } from '../../../lib/outbound.ts';
import type { FreeHolder } from '../free-names.ts';

const longestName = 253;
const looksPerMinute = 30;

/** A record that only whoever has a name can make. Everybody may know its value: it is good for one name, one organization and one
 * instance. */
export interface OwnershipRecord {
  record: string;
  value: string;
}

type Options = {
  instanceId: string;
  /** The TXT records of a name. */
  texts: (name: string) => Promise<string[]>;
};

/** Whoever has a name: as a domain, or below the domain of a server. */
export type Holder = DomainTable | FreeHolder;

/** The name is another organization's. Who holds it is nobody's business but ours. */
export class HeldElsewhere extends AppError {
  readonly holder: Holder;

  constructor(holder: Holder, message: string) {
    super('conflict', `${holder.name} belongs to another project of this instance`, { message });
    this.holder = holder;
  }
}

/** Names are first come, but whoever can change what name servers say of one gets it from somebody who cannot. */
export class Claims {
  readonly #options: Options;
  readonly #looks = new RequestLimit(looksPerMinute);

  constructor(options: Options) {
    this.#options = options;
  }

  /** What tells the claimant how the name can be had. Nobody is asked. */
  refusal(holder: Holder, claimant: string, seen = ''): HeldElsewhere {
    const { record, value } = this.#recordOf(holder.name, claimant);
    if (record.length > longestName)
      return new HeldElsewhere(holder, 'a domain this long leaves no room for the TXT record that proves ownership');
    const how = `if the domain is yours, create the TXT record ${record} with the value ${value} and add it to the project again`;
    return new HeldElsewhere(holder, seen ? `${how} (${seen})` : how);
  }

  /** Asks the name servers whether the name is the claimant's; throws why it is not, as far as they tell. */
  async require(holder: Holder, claimant: string): Promise<void> {
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
    // Who has proven it too keeps it: otherwise the two could take it from each other again and again.
    if (found.includes(this.#recordOf(holder.name, holder.organizationId).value))
      throw new HeldElsewhere(holder, `the TXT record ${record} also names that project; remove that value first`);
  }

  #recordOf(name: string, organizationId: string): OwnershipRecord {
    const bound = JSON.stringify(['mooring owner', this.#options.instanceId, organizationId, name]);
    return {
      record: `_mooring.${name}`,
      value: `mooring-owner=${createHash('sha256').update(bound).digest('hex').slice(0, 40)}`,
    };
  }
}
