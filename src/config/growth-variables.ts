import Type from 'typebox'
import { count, timeout } from './variables.ts'

/** More processes and more servers for one service. */
export const growthVariables = {
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
  MEMBRANE_API_PROCESSES: count(
    'Processes of one API, which share its port. Each has its own connections to the database.',
    1,
    1,
    64,
  ),
}
