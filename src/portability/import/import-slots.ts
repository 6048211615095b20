import { AppError } from '../../kernel/errors.ts'

/** Each import holds up to a line of its file in memory, and a database file as a whole, as long as its client likes. */
const maxAtOnce = 8

/** Returns a function that counts an import of a key, and refuses it if there are too many. It returns how the import ends. */
export function createImportSlots() {
  const taken = new Map<string, number>()

  function release(principal: string): void {
    const left = (taken.get(principal) ?? 0) - 1
    if (left > 0) taken.set(principal, left)
    else taken.delete(principal)
  }

  return function take(principal: string): () => void {
    const others = taken.get(principal) ?? 0
    if (others >= maxAtOnce) {
      const message = `The key has ${maxAtOnce} imports under way, and this server takes on no more at once.`
      throw new AppError('overloaded', message, { retryAfterSeconds: 1 })
    }
    taken.set(principal, others + 1)
    return () => release(principal)
  }
}
