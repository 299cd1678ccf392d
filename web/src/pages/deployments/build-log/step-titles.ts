const titles: Record<string, string> = {
  '': 'Before the first step',
  source: 'Source',
  detect: 'Detect',
  build: 'Build',
  plan: 'Plan',
  approve: 'Approval',
  release: 'Release command',
  start: 'Start',
  check: 'Health check',
  route: 'Route traffic',
  services: 'Services',
  restore: 'Restore previous services',
  retire: 'Stop previous release',
  tidy: 'Clean up',
};

export const titleOfStep = (name: string): string => titles[name] ?? name;
