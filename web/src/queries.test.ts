import { MutationObserver, onlineManager } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';

vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
// It reads localStorage when it loads.
const { createQueries } = await import('./queries.ts');

afterEach(() => onlineManager.setOnline(true));

test('offline: queries and mutations fail at once instead of waiting for the browser', async () => {
  const queries = createQueries({ onSessionOver: async () => {} });
  onlineManager.setOnline(false);
  const fail = () => Promise.reject(new TypeError('Failed to fetch'));

  const change = new MutationObserver(queries, { mutationFn: fail });
  await expect(change.mutate()).rejects.toThrow('Failed to fetch');
  await expect(queries.fetchQuery({ queryKey: ['projects'], queryFn: fail, retry: false })).rejects.toThrow(
    'Failed to fetch',
  );
}, 3000);
