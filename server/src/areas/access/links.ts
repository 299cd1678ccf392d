/** Links for users. Secrets are in the fragment, which browsers do not send to servers or logs. */
export class DashboardLinks {
  #base = '';

  /** Known once the service listens. */
  setBase(url: string): void {
    this.#base = url;
  }

  setup = (code: string): string => `${this.#base}/setup#code=${code}`;
  invitation = (token: string): string => `${this.#base}/invitation#token=${token}`;
  passwordReset = (token: string): string => `${this.#base}/reset-password#token=${token}`;
}
