import { createHash, createHmac } from 'node:crypto'

/**
 * The id of a record of another program, the same at each import into the same scope. It is keyed by a secret of the
 * store, so that nobody can compute it for a scope that it does not see.
 */
export function createIdentity(secret: string, format: string, scope: string) {
  // An item asks several times for its own id and those of its neighbours.
  const known = new Map<string, string>()
  return function idOf(source: string): string {
    const id = known.get(source) ?? computeId(source)
    if (known.size >= maxKnown) known.clear()
    known.set(source, id)
    return id
  }

  function computeId(source: string): string {
    const bytes = createHmac('sha256', secret)
      .update(JSON.stringify([format, scope, source]))
      .digest()
      .subarray(0, 16)
    // RFC 9562 §5.8: version 8, whose other bits are free.
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}

const maxKnown = 64

/** By this fingerprint the next import finds out whether the item has changed. It is kept with the record and survives revisions. */
export function computeFingerprint(content: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
