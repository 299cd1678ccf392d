const titles: Record<string, string> = {
  push: 'Push',
  upload: 'Upload',
  redeploy: 'Redeploy',
  rollback: 'Rollback',
  api: 'API',
};

/** Who or what has created a deployment. */
export const triggerTitle = (trigger: string): string => titles[trigger] ?? trigger;
