import { AppError } from '../errors.ts';

const names =
  /^(access_?token|api_?key|auth|authorization|bearer|key|pat|password|private_?token|secret|session|token)$/i;

/** Query strings end up in logs and browser histories, so credentials there are rejected, even valid ones. */
export function refuseCredentialsInQuery(query: unknown): void {
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    const values = Array.isArray(value) ? value : [value];
    if (names.test(name) || values.some((each) => String(each).includes('mrg_pat_')))
      throw new AppError(
        'credentials_in_query',
        'credentials are not accepted in the query string; send an Authorization header',
      );
  }
}
