import { BuildRefusedError } from './errors.ts';
import type { Images, RunOptions } from './images.ts';

const megabytes = (bytes: number) => `${Math.max(1, Math.round(bytes / 1_000_000))} MB`;

/** Combines two engines: builds on one, transfers the result to the other and does not keep it on the builder. */
export function builtElsewhere(builder: Images, target: Images): Images {
  /** An engine only runs images of its own platform. */
  async function requireSamePlatform(): Promise<void> {
    const [made, wanted] = await Promise.all([builder.platform(), target.platform()]);
    if (made === wanted) return;
    throw new BuildRefusedError(
      `this machine builds for ${made} but the server runs ${wanted}; leave out buildStrategy to build on the server`,
    );
  }

  async function take(image: string, bytes: number, { signal, onLine }: RunOptions): Promise<void> {
    onLine(`Sending the image to the server, ${megabytes(bytes)}`, 'stdout');
    const began = Date.now();
    const archive = await builder.save(image, signal);
    await target.load(archive, signal);
    onLine(`Sent after ${((Date.now() - began) / 1000).toFixed(1)} s`, 'stdout');
  }

  return {
    ...target,
    async build(request, run) {
      await requireSamePlatform();
      const built = await builder.build(request, run);
      if (!(await target.find(built.imageId))) await take(built.image, built.bytes, run);
      await builder.remove(built.image);
      return built;
    },
    async endBuild(owner) {
      await builder.endBuild(owner);
      await target.endBuild(owner);
    },
  };
}
