import { createHash, createHmac } from 'node:crypto'

/**
 * The id of a record of another program, the same at each import into the same scope. It is keyed by a secret of the
 * store, so that no caller can compute it for a scope that it does not see. `others` is the number of records of the item that
 * the caller cannot read in full. It is part of the digest, so the id does not show whether there are any.
 */
export type Identity = (source: string, others?: number) => string

export function createIdentity(secret: string, format: string, scope: string): Identity {
  return function computeId(source, others = 0) {
    const bytes = createHmac('sha256', secret)
      .update(JSON.stringify([format, scope, source, ...(others === 0 ? [] : [others])]))
      .digest()
      .subarray(0, 16)
    // RFC 9562 §5.8: version 8, whose other bits are free.
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}

/** By this fingerprint the next import finds out whether the item has changed. It is kept with the record and survives revisions. */
export function computeFingerprint(content: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
