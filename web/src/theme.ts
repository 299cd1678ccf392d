import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'mooring.theme';
const listeners = new Set<() => void>();

const isTheme = (text: string | null): text is Theme => themes.some((theme) => theme === text);

function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return isTheme(stored) ? stored : 'system';
}

/** The style sheet follows the system unless the root element has a theme. */
function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  applyTheme(theme);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, storedTheme);

applyTheme(storedTheme());
