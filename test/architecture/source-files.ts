import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** Paths below a folder of the project, with forward slashes, in a stable order. */
export function listFiles(folder: string, extension: string): string[] {
  return globSync(`${folder}/**/*${extension}`, { cwd: root }).sort()
}

export function readSource(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
