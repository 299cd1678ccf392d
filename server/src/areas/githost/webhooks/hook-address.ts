import { AppError } from '../../../errors.ts';
import { OutboundError, resolveOutbound } from '../../../lib/outbound.ts';

export const receiverPath = '/api/webhooks/githost';

const instead = 'without a webhook, Mooring polls the branches every minute';
const noWay = (reason: string) =>
  new AppError('not_configured', `the git host cannot send webhooks: ${reason}; ${instead}`);

/**
 * Returns the webhook URL if the git host can reach it. A git host on the private network reaches private addresses.
 */
export async function hookAddress(publicUrl: string | undefined, hostUrl: string): Promise<string> {
  if (!publicUrl) throw noWay('set MOORING_PUBLIC_URL to the address of this instance on the internet');
  const { hostname } = new URL(publicUrl);
  if (!(await isPublic(hostname)) && (await isPublic(new URL(hostUrl).hostname)))
    throw noWay(`MOORING_PUBLIC_URL is ${publicUrl}, which is not on the internet`);
  return `${publicUrl}${receiverPath}`;
}

async function isPublic(hostname: string): Promise<boolean> {
  if (/(^|\.)(localhost|local|internal|lan|test|invalid)$/.test(hostname)) return false;
  try {
    await resolveOutbound(hostname, 'public');
    return true;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    // A name that does not resolve here may resolve publicly.
    return error.code === 'not_found';
  }
}
