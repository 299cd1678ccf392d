import { useLocation } from '@tanstack/react-router';

/** A value of the URL's fragment. One-time secrets stand there, since browsers do not send it to the service. */
export function useFragment(name: string): string | undefined {
  const hash = useLocation({ select: (location) => location.hash });
  return new URLSearchParams(hash.replace(/^#/, '')).get(name) || undefined;
}
