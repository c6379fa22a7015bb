// Where the Nu checker's jar is, and that there is a Java to run it.
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The path of the jar. Throws where the package came without it, or there is no Java. */
export async function vnuJar() {
  const jar = join(import.meta.dirname, 'node_modules/vnu-jar/build/dist/vnu.jar');
  await access(jar);
  await promisify(execFile)('java', ['-version']);
  return jar;
}
