import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * The folder and those above it that are missing. `mkdir` of Node with `recursive` never ends where the kernel answers
 * that a folder under /proc does not exist, and does not heed a signal meanwhile.
 */
export async function createFolder(path: string): Promise<void> {
  const folder = resolve(path)
  const missing: string[] = []
  for (let each = folder; !(await isThere(each)); each = dirname(each)) missing.unshift(each)
  for (const each of missing) {
    await mkdir(each).catch((error: NodeJS.ErrnoException) => {
      // Another process that starts at the same time was first.
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
