export type RegistryAccount = { username: string; password: string } | undefined;

export type ReportLine = (line: string) => void;

/** A registry through which the nodes of a Swarm get images. */
export interface ImageRegistry {
  /** As in the names of its images: `registry.example.com/apps`. */
  address: string;
  /** Whether only this Mooring uses it. */
  isOwn: boolean;
  /** What to check if it does not work. */
  hints: { away: string; refused: string; full: string };
  /** Makes it ready, and returns its credentials. */
  ready(): Promise<RegistryAccount>;
  /** Whether it accepts no images for the moment. */
  isReadOnly(): Promise<boolean>;
  /** Sends a request to its API, with its credentials. */
  request(call: RegistryCall): Promise<RegistryAnswer>;
  /** Called before an image is deleted. */
  beforeDelete(): Promise<void>;
  /** Frees the space of deleted images, if it does not do so itself. */
  collectGarbage(): Promise<void>;
}

export interface RegistryCall {
  method: 'GET' | 'DELETE';
  path: string;
  headers: Record<string, string>;
}

export interface RegistryAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** All images are in one repository, so that they share their layers. */
export const registryRepositoryOf = ({ address }: Pick<ImageRegistry, 'address'>): string => `${address}/mooring`;
export const tagOf = (imageId: string): string => imageId.replace('sha256:', '').slice(0, 32);

/** The registry did not take or return an image. */
export class RegistryError extends Error {
  override name = 'RegistryError';
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}
