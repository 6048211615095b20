import { createCipheriv, createDecipheriv, type ScryptOptions, scrypt } from 'node:crypto'

/** A place in the write-ahead log of a server. A failover begins a new timeline. */
export type Position = { timeline: number; lsn: bigint }

/** A replica shows every commit before the place that this returns. */
export const positionStatement =
  'select pg_current_wal_insert_lsn()::text as lsn, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline'

export type PositionRow = { lsn: string; timeline: string }

export function parsePosition({ lsn, timeline }: PositionRow): Position {
  return { lsn: parseLsn(lsn), timeline: Number.parseInt(timeline, 16) }
}

/** PostgreSQL writes a place as two hexadecimal numbers of 32 bits. */
export function parseLsn(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/** What distinguishes one database from all others, and no client knows. */
export type Identity = { cluster: string; database: string }

export const identityStatement = `select (select system_identifier::text from pg_control_system()) as cluster,
  (select oid::text from pg_database where datname = current_database()) as database`

export type Seal = { key: Buffer; mark: Buffer }

/** Slow, because much of an identity is the time of its creation, which could be guessed. */
const cost: ScryptOptions = { N: 2 ** 14, r: 8, p: 1 }
const keyBytes = 32
const markBytes = 4

export function createPositionSeal({ cluster, database }: Identity): Promise<Seal> {
  return new Promise((resolve, reject) => {
    scrypt(`${cluster} ${database}`, 'membrane position', keyBytes + markBytes, cost, (error, derived) => {
      if (error) reject(error)
      else resolve({ key: derived.subarray(0, keyBytes), mark: derived.subarray(keyBytes) })
    })
  })
}

const prefix = 'p1.'
const tokenPattern = /^p1\.[A-Za-z0-9_-]{21}[AQgw]$/

export function isPositionToken(text: string): boolean {
  return tokenPattern.test(text)
}

/**
 * Writes a position as one encrypted block: in clear it would tell each client how much all others write. Equal
 * positions have equal tokens, which tells nothing more.
 */
export function sealPosition({ key, mark }: Seal, { timeline, lsn }: Position): string {
  const block = Buffer.alloc(16)
  block.writeBigUInt64BE(lsn, 0)
  block.writeUInt32BE(timeline, 8)
  mark.copy(block, 12)
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  return `${prefix}${Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url')}`
}

/** Undefined for a token of another database, or one that nobody sealed. */
export function openPosition({ key, mark }: Seal, token: string): Position | undefined {
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const sealed = Buffer.from(token.slice(prefix.length), 'base64url')
  const block = Buffer.concat([decipher.update(sealed), decipher.final()])
  if (!block.subarray(12).equals(mark)) return undefined
  return { lsn: block.readBigUInt64BE(0), timeline: block.readUInt32BE(8) }
}
