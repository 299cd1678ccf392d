/** Values shorter than this are words like `true`; hiding those would make logs unreadable and give nothing away. */
const shortest = 8;

/** Replaces secret values wherever they stand in a line: as they are, each line of a longer one, base64, URL-encoded. */
export function redactor(values: string[]): (line: string) => string {
  const forms = new Set(values.flatMap(formsOf));
  if (!forms.size) return (line) => line;
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|'), 'g');
  return (line) => line.replace(pattern, '[hidden]');
}

function formsOf(value: string): string[] {
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  const forms = [
    value,
    ...value.split(/\r?\n/),
    base64,
    Buffer.from(value).toString('base64url'),
    encodeURIComponent(value),
  ];
  return forms.map((form) => form.trim()).filter((form) => form.length >= shortest);
}
