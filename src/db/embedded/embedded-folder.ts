import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Creates the folder and its missing parents. `mkdir` of Node with `recursive` never returns where the kernel reports
 * a folder under /proc as missing, and it does not react to signals meanwhile.
 */
export async function createFolder(path: string): Promise<void> {
  const folder = resolve(path)
  const missing: string[] = []
  for (let each = folder; !(await isThere(each)); each = dirname(each)) missing.unshift(each)
  for (const each of missing) {
    await mkdir(each).catch((error: NodeJS.ErrnoException) => {
      // Another process that starts at the same time created it first.
      if (error.code !== 'EEXIST') throw error
    })
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && dirname(path) !== path) return false
      throw error
    },
  )
}
