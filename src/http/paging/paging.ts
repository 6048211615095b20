import Type, { type Static, type TObject } from 'typebox'
import type { Database } from '../../db/connection.ts'
import { readStoreSecret } from '../../db/store-secret.queries.ts'
import { type ListPage, Time, Uuid } from '../../domain/schemas/shapes.ts'
import type { Caller } from '../../domain/trust/caller.ts'
import { computeQueryFingerprint, createCursorError, decodeCursor, encodeCursor } from './cursor.ts'
import { openCursor, sealCursor } from './sealed-cursor.ts'

/** The position in a list by time of creation. */
export const CreationCursor = Type.Object({ created_at: Time(), id: Uuid() })

type PageRequest<S extends TObject, Row> = {
  caller: Caller
  /** The name and the filters of the list: a cursor is valid only with the same ones. */
  list: object
  limit: number
  cursor: string | undefined
  /** The columns of a row that are its position in the list. */
  position: S
  read(after: Static<S> | undefined, limit: number): Promise<Row[]>
  /** For a position of row numbers: the store with whose secret the cursors are encrypted. */
  sealedBy?: Database
}

/**
 * Reads the page that starts at the cursor. `read` gets the position of the last row of the previous page, and a limit of
 * one row more than the page: that row shows whether there is a next page.
 */
export async function readPage<
  S extends TObject,
  Row extends Readonly<Record<keyof S['properties'] & string, unknown>> & { selected?: number },
>({ caller, list, limit, cursor, position, read, sealedBy }: PageRequest<S, Row>): Promise<ListPage<Row>> {
  const fingerprint = computeQueryFingerprint(caller.principal, list)
  const secret = cursor && sealedBy ? await readStoreSecret(sealedBy) : undefined
  const passed = cursor && secret ? open(secret, cursor) : cursor
  const after = passed === undefined ? undefined : decodeCursor(passed, position, fingerprint)
  const found = await read(after, limit + 1)
  const items = found.slice(0, limit)
  const last = items.at(-1)
  if (last === undefined || !isFollowed(items, found)) return { items }
  const end = Object.keys(position.properties).map((name) => [name, last[name]])
  const next = encodeCursor(fingerprint, Object.fromEntries(end))
  if (!sealedBy) return { items, next_cursor: next }
  return { items, next_cursor: sealCursor(secret ?? (await readStoreSecret(sealedBy)), next) }
}

function open(secret: string, cursor: string): string {
  const opened = openCursor(secret, cursor)
  if (opened === undefined) throw createCursorError()
  return opened
}

/**
 * Whether more rows follow the items of a page. `selected` is the number of rows within the limit, in a list that leaves out the
 * last of them where the page would be too long.
 */
export function isFollowed(items: readonly unknown[], found: readonly { selected?: number }[]): boolean {
  return (found[0]?.selected ?? found.length) > items.length
}

/** Adds the Link header of the next page to the answer, and returns the page as the body. */
export function sendPage<P extends { next_cursor?: string }>(
  request: { url: string },
  reply: { header(name: string, value: string): unknown },
  page: P,
): P {
  if (page.next_cursor !== undefined) reply.header('link', linkNext(request.url, page.next_cursor))
  return page
}

/** A Link header (RFC 8288): the same request with the next cursor. */
function linkNext(url: string, cursor: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}
