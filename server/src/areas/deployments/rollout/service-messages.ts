import { fixHint } from '../build/fix-hint.ts';
import type { CrashExcerpt } from '../model/crash-excerpt.ts';
import type { StepContext } from '../model/step.ts';
import type { PortTrouble } from './port-trouble.ts';
import { previousHint } from './previous-release.ts';

/**
 * Messages about a service that does not start or respond. Those of an app name the app; those of a stack get the
 * service's name as a prefix in the log and in errors.
 */
export interface ServiceMessages {
  isApp: boolean;
  removed: string;
  crashed(sentence: string): string;
  unanswered(port: number, within: string, outcome: string): string;
  notStarted(reason: string): { message: string; hint: string };
  hint(failed: FailedCheck): Promise<string>;
}

type FailedCheck = {
  message: string;
  /** Whether its output explains the failure. */
  isTelling: boolean;
  excerpt: CrashExcerpt | null;
  isKilled: boolean;
  /** Whether it exited with code 0. */
  isDone: boolean;
  trouble: PortTrouble | undefined;
};

export const serviceMessages: ServiceMessages = {
  isApp: false,
  removed: 'the container was removed',
  crashed: (sentence) => sentence,
  unanswered: (_port, within, outcome) => `did not come up within ${within}: ${outcome}`,
  notStarted: (reason) => ({
    message: `its container does not start: ${reason}`,
    hint: 'Check its image, command, user and mounts.',
  }),
  hint: async () => 'See the log of the service. Its previous version, if there is one, keeps running.',
};

type Context = Pick<StepContext, 'db' | 'parts' | 'deployment' | 'config' | 'stack'>;

export const messagesOf = (context: Context): ServiceMessages =>
  context.stack.isApp ? ofApp(context) : serviceMessages;

const ofApp = (context: Context): ServiceMessages => ({
  isApp: true,
  removed: 'The app was removed',
  crashed: (sentence) => `The app ${sentence}`,
  unanswered: (port, within, outcome) => `The app did not answer on port ${port} within ${within}: ${outcome}`,
  notStarted: (reason) => ({
    message: `the container does not start: ${reason}`,
    hint: 'Check the start command, and ENTRYPOINT, CMD and USER in the Dockerfile.',
  }),
  async hint({ isTelling, excerpt, isKilled, isDone, message, trouble }) {
    const { config } = context;
    const hints = [
      isTelling
        ? fixHint({ step: 'start', excerpt, isKilled, isDone }, config)
        : unansweredHint(config, message, trouble),
      ...(config.readOnly ? [readOnlyHint(config.slug)] : []),
    ];
    return hints.join(' ') + (await previousHint(context));
  },
});

const readOnlyHint = (slug: string) =>
  'The file system of its container is read-only. If the app has to write there: ' +
  `mooring project set ${slug} resources.readOnly=false.`;

function answerHint(message: string): string {
  if (message.includes(' answered 400 '))
    return 'If the app refuses its host name, allow it (ALLOWED_HOSTS of Django). ';
  return message.includes(' answered 5') ? 'Look for the error in the log of the app. ' : '';
}

function unansweredHint({ slug, healthCheck }: StepContext['config'], message: string, trouble?: PortTrouble): string {
  if (message.includes(' answered '))
    return (
      `The health check expects ${healthCheck.path ? 'a status below 400' : 'a status below 500'}. ` +
      answerHint(message) +
      `To check another path: mooring project set ${slug} healthCheck.path=/healthz.`
    );
  if (!trouble) return 'The app must listen on 0.0.0.0:$PORT and answer.';
  const hint = 'Read the port from the variable PORT, and the address from HOST.';
  return trouble.nameable
    ? `${hint} Or name the app's port: mooring project set ${slug} port=${trouble.nameable}.`
    : hint;
}
