import Type from 'typebox'
import { count, flag, timeout, url } from './variables.ts'

/** The database, its replicas, the queue, and the connections to them. */
export const storageVariables = {
  DATABASE_URL: Type.Optional(
    url(
      'PostgreSQL 15 or newer, with the encoding UTF8 and a locale such as C.UTF-8. Unset: `npm start` runs an embedded server.',
      'postgres://membrane@localhost:5432/membrane',
      '^postgres(ql)?://',
    ),
  ),
  DATABASE_REPLICA_URL: Type.Optional(
    Type.String({
      description:
        'Streaming replicas of the database that answer reads, separated by commas. Unset: the database of DATABASE_URL answers everything.',
      examples: ['postgres://membrane@replica:5432/membrane'],
      pattern: '^postgres(ql)?://',
      expects: 'one or more URLs such as postgres://membrane@replica:5432/membrane, separated by commas',
    }),
  ),
  MEMBRANE_REPLICA_LAG: timeout('Largest lag of a replica that still answers reads.', '5s'),
  REDIS_URL: Type.Optional(
    url(
      'Redis for the queue and for rate limits that all processes share. Another installation needs another database of it, such as redis://localhost:6379/1. Unset: the queue is in PostgreSQL.',
      'redis://localhost:6379',
      '^rediss?://',
    ),
  ),
  MEMBRANE_DATA_DIR: Type.String({
    description: 'Folder of the data of the embedded database.',
    default: '.membrane',
    expects: 'a path',
  }),
  MEMBRANE_POOL_SIZE: count('Database connections of one API process.', 10, 1, 500),
  MEMBRANE_PREPARED_STATEMENTS: flag(
    'Plan each statement once per connection. Set to false behind a pooler that shares connections by transaction.',
    'true',
  ),
  MEMBRANE_STATEMENT_TIMEOUT: timeout('Longest time of one SQL statement of a request.', '30s'),
  MEMBRANE_LOCK_TIMEOUT: timeout('Longest wait for a row lock.', '10s'),
}
