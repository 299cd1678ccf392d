/** The engine is unreachable, or disconnected before it responded: the operation may or may not have happened. */
export class EngineAwayError extends Error {
  override name = 'EngineAwayError';

  constructor(cause: unknown) {
    super(`Docker does not respond: ${(cause as Error).message}`, { cause });
  }
}

/** A Swarm elects its leader anew when a manager is lost, and a manager can become a worker. Until another one is found,
 * the engine responds, but can do nothing. */
export class NoManagerError extends EngineAwayError {}

/** A node that the cluster has not given up is unreachable for us. */
export class NodeAwayError extends EngineAwayError {
  readonly node: string;

  constructor(node: string, { cause }: EngineAwayError) {
    super(cause);
    this.message = `the node ${node}: ${this.message}`;
    this.node = node;
  }
}

/** The engine no longer has the image; it must be built or pulled again. */
export class ImageMissingError extends Error {
  override name = 'ImageMissingError';

  constructor(image: string, imageId: string) {
    super(`the image ${image} (${imageId}) no longer exists`);
  }
}

/** Another process listens on the port of the release. */
export class PortTakenError extends Error {
  override name = 'PortTakenError';
  readonly port: number;

  constructor(port: number, cause: unknown) {
    super(`port ${port} is in use: ${(cause as Error).message}`, { cause });
    this.port = port;
  }
}

/** Another network of the engine has addresses of the subnet. */
export class SubnetTakenError extends Error {
  override name = 'SubnetTakenError';
  readonly network: string;
  readonly subnet: string;

  constructor(network: string, subnet: string, cause: unknown) {
    super(`the subnet ${subnet} of the network ${network} is in use`, { cause });
    [this.network, this.subnet] = [network, subnet];
  }
}

/** All ports of the range are in use, by apps or other processes. */
export class NoPortLeftError extends Error {
  override name = 'NoPortLeftError';

  constructor({ from, to }: { from: number; to: number }) {
    super(`no port between ${from} and ${to} is free`);
  }
}

/** A container uses the volume, which therefore was not changed. */
export class VolumeInUseError extends Error {
  override name = 'VolumeInUseError';

  constructor(volume: string, cause?: unknown) {
    super(`a container uses the volume ${volume}`, { cause });
  }
}
