import { spawnSync } from 'node:child_process';
import { newFolder } from './children.ts';

/** A `PATH` with Debian's Python: others may be in a home folder that projects cannot read. */
export const pythonPath = '/usr/local/bin:/usr/bin:/bin';

// Debian removes the requirements, so they are given.
const program = `
import json, sys, venv, ensurepip, zipfile
from importlib.metadata import PackageNotFoundError, distribution

folder, packages = sys.argv[1], json.loads(sys.argv[2])
for package, requirements in packages.items():
    try:
        found = distribution(package)
    except PackageNotFoundError:
        continue
    info = f"{found.metadata['Name']}-{found.version}.dist-info"
    metadata = f"Metadata-Version: 2.1\\nName: {package}\\nVersion: {found.version}\\n"
    with zipfile.ZipFile(f"{folder}/{package}-{found.version}-py3-none-any.whl", "w") as wheel:
        for module in (found.read_text("top_level.txt") or package).split():
            for file in found.locate_file(module).rglob("*"):
                if file.is_file() and file.suffix != ".pyc":
                    wheel.write(file, file.relative_to(found.locate_file("")))
        wheel.writestr(f"{info}/METADATA", metadata + "".join(f"Requires-Dist: {name}\\n" for name in requirements))
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/entry_points.txt", found.read_text("entry_points.txt") or "")
        wheel.writestr(f"{info}/RECORD", "")
`;

/** Packs installed Debian packages, each with its requirements, as wheels into a folder. Undefined without Python. */
export function debianWheels(packages: Record<string, string[]>): string | undefined {
  const folder = newFolder('wheels');
  const packed = spawnSync('/usr/bin/python3', ['-c', program, folder, JSON.stringify(packages)], { encoding: 'utf8' });
  return packed.status === 0 ? folder : undefined;
}
