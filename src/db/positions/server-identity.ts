/** A value that distinguishes one database from all others, and that no client knows. */
export type ServerIdentity = { cluster: string; database: string }

export const clusterId = '(select system_identifier::text from pg_control_system())'
export const databaseId = '(select oid::text from pg_database where datname = current_database())'

/** The columns of a `ServerIdentity`. */
export const identityColumns = `${clusterId} as cluster,
  ${databaseId} as database`

/** The timeline on which a primary writes: eight hexadecimal digits. */
export const primaryTimeline = 'left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)'

/** The same as a number of bits, for a cast to an integer. */
export const primaryTimelineBits = `('x' || ${primaryTimeline})::bit(32)`

/**
 * The timeline of a standby, as a number. The one that it receives is shown only to members of pg_read_all_stats. Others
 * know it from the last checkpoint, so after a failover they learn of it at the next one.
 */
export const standbyTimeline = `greatest(
    (select timeline_id from pg_control_checkpoint()), (select received_tli from pg_stat_wal_receiver)
  )`
