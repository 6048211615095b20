import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  type Decipheriv,
  type ScryptOptions,
  scrypt,
} from 'node:crypto'

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

/** One block has no state after it, so both are made once: to make one takes many times as long as to use it. */
export type Seal = { cipher: Cipheriv; decipher: Decipheriv; mark: Buffer }

/** Slow, because much of an identity is the time of its creation, which could be guessed. */
const cost: ScryptOptions = { N: 2 ** 14, r: 8, p: 1 }
const keyBytes = 32
const markBytes = 4
const algorithm = 'aes-256-ecb'
const blockBytes = 16

export function createPositionSeal({ cluster, database }: Identity): Promise<Seal> {
  return new Promise((resolve, reject) => {
    scrypt(`${cluster} ${database}`, 'membrane position', keyBytes + markBytes, cost, (error, derived) => {
      if (error) reject(error)
      else resolve(readSeal(derived))
    })
  })
}

function readSeal(derived: Buffer): Seal {
  const key = derived.subarray(0, keyBytes)
  return {
    cipher: createCipheriv(algorithm, key, null).setAutoPadding(false),
    decipher: createDecipheriv(algorithm, key, null).setAutoPadding(false),
    mark: derived.subarray(keyBytes),
  }
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
export function sealPosition({ cipher, mark }: Seal, { timeline, lsn }: Position): string {
  const block = Buffer.alloc(blockBytes)
  block.writeBigUInt64BE(lsn, 0)
  block.writeUInt32BE(timeline, 8)
  mark.copy(block, 12)
  return `${prefix}${cipher.update(block).toString('base64url')}`
}

/** Undefined for a token of another database, or one that nobody sealed. */
export function openPosition({ decipher, mark }: Seal, token: string): Position | undefined {
  const sealed = Buffer.from(token.slice(prefix.length), 'base64url')
  // A part of a block would be kept for the next token.
  if (sealed.length !== blockBytes) return undefined
  const block = decipher.update(sealed)
  if (!block.subarray(12).equals(mark)) return undefined
  return { lsn: block.readBigUInt64BE(0), timeline: block.readUInt32BE(8) }
}
