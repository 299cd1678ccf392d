import { MutationObserver, onlineManager } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { createQueries } from './queries.ts';

// Read when the module loads.
vi.hoisted(() => vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined }));

afterEach(() => onlineManager.setOnline(true));

test('offline: queries and changes are sent and fail at once, they do not wait for the browser to be online', async () => {
  const queries = createQueries({ onSessionOver: async () => {} });
  onlineManager.setOnline(false);
  const fail = () => Promise.reject(new TypeError('Failed to fetch'));

  const change = new MutationObserver(queries, { mutationFn: fail });
  await expect(change.mutate()).rejects.toThrow('Failed to fetch');
  await expect(queries.fetchQuery({ queryKey: ['projects'], queryFn: fail, retry: false })).rejects.toThrow(
    'Failed to fetch',
  );
}, 3000);
