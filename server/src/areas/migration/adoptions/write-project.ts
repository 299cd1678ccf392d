import { ComposeError, type ComposeProject } from '../../../compose/index.ts';
import type { EngineSurvey } from '../../../drivers/runtime/docker/survey/survey.ts';
import { AppError } from '../../../errors.ts';
import { type ChosenService, documentOf } from '../document/document.ts';
import { readDocument } from '../../../compose/document.ts';
import { trustReasons } from '../document/trust.ts';
import { adoptionWarnings, indexAdoptedTogether } from '../document/warnings.ts';
import { safeText } from '../stack/safe-text.ts';
import type { AdoptBody } from './schemas.ts';

export interface WrittenProject {
  /** Compose file as JSON. */
  document: string;
  needsTrust: boolean;
  /** How the project differs from what runs now. */
  differences: string[];
  /** The differences, and fields that our parser ignores, which every plan reports again. */
  warnings: string[];
}

/** Converts the chosen services to a compose file and checks that the caller may adopt them. */
export async function writeProject(
  { trusted }: Pick<AdoptBody, 'trusted'>,
  chosen: readonly ChosenService[],
  survey: EngineSurvey,
  leftOut: readonly string[],
): Promise<WrittenProject> {
  const document = JSON.stringify(documentOf(chosen, survey));
  const project = await readBack(document);
  const reasons = trustReasons(project, chosen, survey);
  if (reasons.length && !trusted)
    throw new AppError(
      'not_trusted',
      `the service ${reasons[0]!.service} needs trust: ${reasons[0]!.reason}. Only the instance owner can adopt services with access to the machine, with trusted: true`,
      { details: reasons.map(({ service, reason }) => ({ field: service, message: reason })) },
    );
  const together = indexAdoptedTogether(
    chosen.map(({ found }) => found),
    survey,
  );
  const differences = [
    ...chosen.flatMap(({ found }) => adoptionWarnings(found, together).map((each) => `${found.name}: ${each}`)),
    ...leftOut,
  ].map((each) => safeText(each, 600));
  const ignored = project.warnings.map(({ message }) => safeText(message, 600));
  return { document, needsTrust: reasons.length > 0, differences, warnings: [...differences, ...ignored] };
}

/** Parses the document again, so that only valid ones are stored. */
async function readBack(document: string): Promise<ComposeProject> {
  try {
    return await readDocument('adopted', document);
  } catch (error) {
    if (!(error instanceof ComposeError)) throw error;
    throw new AppError('bad_request', `these services cannot be one project: ${error.problems[0]?.message ?? ''}`, {
      details: error.problems.map(({ message }) => ({ field: 'serviceNames', message })),
    });
  }
}
