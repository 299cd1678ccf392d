import { networkInterfaces } from 'node:os';
import { isAllowed } from '../../../lib/outbound.ts';

/** Returns the public addresses of this machine; none behind a router. */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && isAllowed(address, 'public'))
    .map(({ address }) => address);
