/** Throws for a variable that cannot be passed to a process. The error does not contain the value. */
export function checkVariables(env: Record<string, string>): void {
  for (const [name, value] of Object.entries(env))
    if (!name || /[=\0]/.test(name) || value.includes('\0'))
      throw new Error(`the variable ${JSON.stringify(name)} cannot be given to a process`);
}
