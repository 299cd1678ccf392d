import type { OutboundError } from '../../../lib/outbound.ts';
import type { PointingResult } from '../certificates/certificate-names-port.ts';
import type { DomainCheck as Seen } from '../domains/schemas.ts';
import { type EdgeLocation, portOf } from '../edges/edge-location.ts';

const where = async (place: EdgeLocation): Promise<string> => (await place.addresses()).join(' or ') || place.machine;

/** Another server answers at that address. */
export const pointsElsewhere = async (name: string, address: string, place: EdgeLocation) => ({
  ok: false as const,
  status: 'elsewhere' as const,
  message: `${name} points to ${address}, which is another server`,
  fix: `Point the A and AAAA records of ${name} to ${await where(place)}, and remove records that point elsewhere.`,
});

export async function pointingFix(name: string, code: OutboundError['code'], place: EdgeLocation): Promise<string> {
  if (code === 'not_found')
    return `Create an A record for ${name} that points to ${await where(place)}. New records take a few minutes to spread.`;
  if (code === 'refused') return `Point ${name} to a public address of ${place.machine}.`;
  return `Open port ${portOf(place, { secure: false })} in the firewall, and forward it to the edge of ${place.machine}.`;
}

export function describePointing(name: string, leads: PointingResult, { serverId, machine }: EdgeLocation): Seen {
  const { addresses } = leads;
  const here = serverId === null ? 'here' : `to ${machine}`;
  if (leads.ok) return { status: 'here', message: `${name} points ${here}`, fix: null, addresses };
  const { status, message, fix } = leads;
  return { status, message, fix, addresses };
}

export const pointingMessages = {
  not_found: 'not_found',
  refused: 'elsewhere',
  unreachable: 'unreachable',
  timeout: 'unreachable',
} as const satisfies Record<OutboundError['code'], string>;
