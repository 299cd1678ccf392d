import { randomBytes } from 'node:crypto';

/** The owner of a token. */
export interface Holder {
  /** The emulator's own token for it. */
  real: string;
  login?: string;
  installation?: { id: number; account: string; repositories: string[] | undefined; permissions: object | undefined };
}

/** The issued tokens: the emulator accepts any token as its first user's, a real host does not. */
export class TokenBook {
  readonly #holders = new Map<string, Holder>();
  readonly #refreshers = new Map<string, { token: string; holder: Holder }>();

  give(token: string, holder: Holder): void {
    this.#holders.set(token, holder);
  }

  of(authorization: string | undefined): { token: string; holder: Holder | undefined } {
    const token = /^(?:bearer|token) (.+)$/i.exec(authorization ?? '')?.[1] ?? '';
    return { token, holder: this.#holders.get(token) };
  }

  holder(token: string): Holder | undefined {
    return this.#holders.get(token);
  }

  end(token: string): boolean {
    return this.#holders.delete(token);
  }

  endInstallation(id: number): void {
    for (const [token, { installation }] of this.#holders) if (installation?.id === id) this.#holders.delete(token);
  }

  /** Issues an expiring token for the same owner, with a refresh token for one use. */
  renewable(holder: Holder, seconds: number) {
    const [token, refresh] = [`ghu_${randomBytes(20).toString('hex')}`, `ghr_${randomBytes(30).toString('hex')}`];
    this.give(token, holder);
    this.#refreshers.set(refresh, { token, holder });
    return {
      access_token: token,
      token_type: 'bearer',
      scope: '',
      refresh_token: refresh,
      expires_in: seconds,
      refresh_token_expires_in: 15_897_600,
    };
  }

  refresh(refresh: string, seconds: number): object {
    const known = this.#refreshers.get(refresh);
    if (!known) return { error: 'bad_refresh_token', error_description: 'The refresh token passed is incorrect.' };
    this.#refreshers.delete(refresh);
    this.#holders.delete(known.token);
    return this.renewable(known.holder, seconds);
  }
}

type Flow = {
  userCode: string;
  holder?: Holder;
  isDenied?: boolean;
  expiresAt: number;
  askedAt: number;
  interval: number;
};

/** Device logins as GitHub documents them. */
export class DeviceFlows {
  readonly #flows = new Map<string, Flow>();

  begin(webUrl: string, interval: number, expiresIn = 900): object {
    const userCode = `${randomBytes(2).toString('hex')}-${randomBytes(2).toString('hex')}`.toUpperCase();
    const device = randomBytes(20).toString('hex');
    this.#flows.set(device, { userCode, expiresAt: Date.now() + expiresIn * 1000, askedAt: Date.now(), interval });
    const verification_uri = `${webUrl}/login/device`;
    return { device_code: device, user_code: userCode, verification_uri, expires_in: expiresIn, interval };
  }

  /** A person enters the code, and authorizes or declines. */
  decide(userCode: string, holder: Holder | undefined): void {
    const flow = [...this.#flows.values()].find((each) => each.userCode === userCode)!;
    if (holder) flow.holder = holder;
    else flow.isDenied = true;
  }

  poll(device: string): { error: string; interval?: number } | { holder: Holder } {
    const flow = this.#flows.get(device);
    if (!flow) return { error: 'incorrect_device_code' };
    const tooSoon = Date.now() - flow.askedAt < flow.interval * 1000;
    flow.askedAt = Date.now();
    if (flow.expiresAt < Date.now()) return { error: 'expired_token' };
    if (tooSoon) return { error: 'slow_down', interval: (flow.interval += 5) };
    if (flow.isDenied) return { error: 'access_denied' };
    if (!flow.holder) return { error: 'authorization_pending' };
    this.#flows.delete(device);
    return { holder: flow.holder };
  }
}
