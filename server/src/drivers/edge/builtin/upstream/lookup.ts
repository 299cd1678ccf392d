import { lookup as systemLookup, Resolver } from 'node:dns';
import type { LookupFunction } from 'node:net';

const freshMs = 1000;
let last: { resolver: Resolver; until: number } | undefined;

/** A resolver reads its name servers once, and Docker gives a container others when it joins its first network. */
function freshResolver(): Resolver {
  const now = performance.now();
  if (!last || now > last.until) last = { resolver: new Resolver({ timeout: 1000, tries: 2 }), until: now + freshMs };
  return last.resolver;
}

/** Resolves names of services in a Swarm, which have no dots. The system's function would occupy one of four threads
 * for many seconds when the name server does not respond, and so hold up all connections. */
export const lookup: LookupFunction = (name, options, callback) => {
  if (name === 'localhost' || name.includes('.')) return systemLookup(name, options, callback);
  return freshResolver().resolve4(name, (error, addresses) => {
    if (error) return callback(error, '');
    const found = addresses.map((address) => ({ address, family: 4 }));
    return options.all ? callback(null, found) : callback(null, found[0]!.address, 4);
  });
};
