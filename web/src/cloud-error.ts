import { ApiError } from '@mooring/client';

/** Our own instance answers, but its cloud does not, or does not take our token. */
export const cloudTroubleIn = (error: unknown): 'unreachable' | 'refused' | undefined => {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'cloud_unreachable') return 'unreachable';
  return error.code === 'cloud_refused' ? 'refused' : undefined;
};
