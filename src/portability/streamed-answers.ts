import type { Readable } from 'node:stream'
import Type, { type TSchema } from 'typebox'
import { ref } from '../domain/schema-ref.ts'

/** The schema of a response whose lines each match `schema`. */
export function lines<T extends TSchema>(schema: T) {
  return Type.Unsafe<string | Readable>(ref(schema))
}

/** Waits for the first item, so that a failure before it becomes a problem response and not a broken stream. */
export async function startStream<T>(source: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await source.next()
  return (async function* () {
    try {
      if (first.done) return
      yield first.value
      yield* source
    } finally {
      await source.return(undefined)
    }
  })()
}
