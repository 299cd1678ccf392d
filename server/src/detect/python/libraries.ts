import type { PythonProject } from './project.ts';

const libraries: Record<string, string[]> = {
  psycopg2: ['libpq5'],
  psycopg: ['libpq5'],
  mysqlclient: ['libmariadb3'],
  pycairo: ['libcairo2'],
  weasyprint: ['libpango-1.0-0', 'libpangoft2-1.0-0'],
  'opencv-python': ['libgl1', 'libglib2.0-0'],
};

/** Returns the system libraries of the project's packages. */
export const librariesOf = ({ dependencies }: PythonProject): string[] => [
  ...new Set(Object.entries(libraries).flatMap(([name, needed]) => (dependencies.has(name) ? needed : []))),
];
