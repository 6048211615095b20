import { sql } from 'kysely'

/** Sets the columns of a departure so that it keeps no place in a conversation. */
export const withoutPlace = sql`conversation = null, message_at = null, message_arrival = null`
