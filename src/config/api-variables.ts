import Type from 'typebox'
import { count, flag, origin, retention, timeout } from './variables.ts'

/** Where the API listens, and how it treats requests. */
export const apiVariables = {
  HOST: Type.String({
    description: 'Address on which the API listens.',
    default: '127.0.0.1',
    expects: 'an address or host name',
  }),
  PORT: count('Port on which the API listens; 0 for any free port.', 8080, 0, 65_535),
  MEMBRANE_PUBLIC_URL: Type.Optional(
    origin('Where clients reach the API, behind a proxy. `/mcp` serves only this host and loopback names.'),
  ),
  MEMBRANE_API_PROCESSES: count(
    'Processes of one API, which share its port. Each has its own connections to the database.',
    1,
    1,
    64,
  ),
  MEMBRANE_CONSOLE: flag('Serve the console, a web page for people, at /console.', 'true'),
  MEMBRANE_REQUIRE_IF_MATCH: flag('Refuse changes of a record without If-Match.'),
  MEMBRANE_IDEMPOTENCY_RETENTION: retention('How long the answer to an Idempotency-Key is stored.', '24h'),
  MEMBRANE_REQUEST_TIMEOUT: timeout('Longest time to receive a whole request.', '60s'),
  MEMBRANE_SHUTDOWN_TIMEOUT: timeout('Longest time to finish all work after SIGTERM.', '10s'),
}
