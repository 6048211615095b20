import { primaryTimeline } from './server-identity.ts'

/** A position in the write-ahead log of a server. A failover begins a new timeline. */
export type Position = { timeline: number; lsn: bigint }

/** A replica shows every commit before the position that this returns. */
export const positionStatement = `select pg_current_wal_insert_lsn()::text as lsn, ${primaryTimeline} as timeline`

export type PositionRow = { lsn: string; timeline: string }

export function parsePosition({ lsn, timeline }: PositionRow): Position {
  return { lsn: parseLsn(lsn), timeline: Number.parseInt(timeline, 16) }
}

/** PostgreSQL writes an LSN as two hexadecimal numbers of 32 bits. */
export function parseLsn(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
