import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';
import { refuseNul } from './input.ts';

/** An unreadable body. The response is decided after the lookup of the resource. */
export class UnreadableBody {
  readonly error: AppError;

  constructor(error: AppError) {
    this.error = error;
  }
}

/** Parses JSON bodies: an empty one is no body, a malformed one a 400, and `__proto__` is rejected. */
export function acceptJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, undefined);
    return parse(request, text as string, (error, value) => {
      if (error) return done(null, new UnreadableBody(new AppError('malformed_json', 'the body is not valid JSON')));
      try {
        if (/\\u0000/i.test(text as string)) refuseNul(value);
      } catch (found) {
        // Nested too deep to be searched.
        const tooDeep = () => new AppError('malformed_json', 'the body is nested too deep');
        return done(null, new UnreadableBody(found instanceof AppError ? found : tooDeep()));
      }
      return done(null, value);
    });
  });
  // A request without a body often has a content type anyway.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, undefined);
    const refused = new AppError('unsupported_media_type', 'send the body as application/json');
    return done(null, new UnreadableBody(refused));
  });
}
