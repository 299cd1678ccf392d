/** Links that are handed to people. Their secrets stand in the fragment, which browsers do not send and nobody logs. */
export class Links {
  #base = '';

  /** Known once the service listens. */
  setBase(url: string): void {
    this.#base = url;
  }

  setup = (code: string): string => `${this.#base}/setup#code=${code}`;
  invitation = (token: string): string => `${this.#base}/invitation#token=${token}`;
  passwordReset = (token: string): string => `${this.#base}/reset-password#token=${token}`;
}
