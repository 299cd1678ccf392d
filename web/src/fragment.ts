import { useLocation } from '@tanstack/react-router';

/** Reads a value of the URL fragment. One-time secrets are passed there, because browsers never send it to a server. */
export function useFragment(name: string): string | undefined {
  const hash = useLocation({ select: (location) => location.hash });
  return new URLSearchParams(hash.replace(/^#/, '')).get(name) || undefined;
}
