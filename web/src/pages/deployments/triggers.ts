const titles: Record<string, string> = {
  push: 'Push',
  upload: 'Upload',
  redeploy: 'Redeploy',
  rollback: 'Rollback',
  api: 'API',
};

/** Returns the label of a deployment's trigger. */
export const triggerTitle = (trigger: string): string => titles[trigger] ?? trigger;
