import type { FileUse } from '../../../../compose/service.ts';
import { StepError } from '../../model/model.ts';
import { withSource } from '../../contents/source.ts';
import type { ServiceImageOptions } from './service-images.ts';

/** BuildKit's limit for one secret. */
const largest = 500 * 1024;

/** Returns the secrets of a build by the ids that its Dockerfile uses. */
export async function buildSecrets(
  options: ServiceImageOptions,
  uses: FileUse[],
): Promise<Record<string, string | Buffer>> {
  const secrets: Record<string, string | Buffer> = {};
  for (const use of uses) secrets[use.target] = await valueOf(options, use.source);
  return secrets;
}

async function valueOf({ stack, folder }: ServiceImageOptions, name: string): Promise<string | Buffer> {
  const secret = stack.project.secrets.find((each) => each.name === name);
  if (!secret) throw refused(`there is no secret ${name}`);
  if (secret.content !== null) return secret.content;
  const { path, isInside } = secret.file ?? { path: '', isInside: false };
  const missing = refused(`the secret ${name} is read from ${path}, which is not a file of the source`);
  if (!isInside) throw missing;
  return withSource(folder, path, async (opened) => {
    if (opened?.kind !== 'file') throw missing;
    if ((await opened.file.stat()).size > largest)
      throw refused(`the secret ${name} is larger than ${largest} bytes, the limit for builds`);
    return opened.file.readFile();
  });
}

const refused = (message: string) =>
  new StepError(
    'build_refused',
    message,
    'Add the file to the source, or set the value of the secret with a variable.',
  );
