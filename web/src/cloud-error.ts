import { ApiError } from '@mooring/client';

/** This instance responds, but its cloud is unreachable or rejects our token. */
export const cloudTroubleIn = (error: unknown): 'unreachable' | 'refused' | undefined => {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'cloud_unreachable') return 'unreachable';
  return error.code === 'cloud_refused' ? 'refused' : undefined;
};
