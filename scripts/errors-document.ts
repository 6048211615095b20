import { STATUS_CODES } from 'node:http'
import { getHttpStatus } from '../src/http/problems.ts'
import { catalogue, type ErrorCode } from '../src/kernel/errors.ts'

const introduction = `# Errors

Every error is an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problem, \`application/problem+json\`:

| member | |
| --- | --- |
| \`type\` | \`urn:membrane:problem:\` and the code |
| \`title\` | what the code means, the same each time |
| \`status\` | the HTTP status |
| \`detail\` | what went wrong this time |
| \`code\` | one of those below; stable, so a program may depend on it |
| \`request_id\` | finds the request in the log; also the \`X-Request-Id\` header |
| \`errors\` | with \`validation_failed\`: every place that is wrong, as \`{pointer, message}\`; a pointer is an RFC 6901 pointer into the body, or \`?name\` for a query parameter |

429 and most 503 answers carry \`Retry-After\`. A 5xx never says more than its code: the log does.
`

/** docs/errors.md: the catalogue by status. */
export function describeErrors(): string {
  const codes = Object.keys(catalogue) as ErrorCode[]
  const statuses = [...new Set(codes.map(getHttpStatus))].sort((one, other) => one - other)
  const sections = statuses.map((status) => {
    const rows = codes.filter((code) => getHttpStatus(code) === status).sort()
    const lines = rows.map((code) => `| \`${code}\` | ${catalogue[code].meaning.replaceAll('|', '\\|')} |`)
    return `## ${status} ${STATUS_CODES[status]}\n\n| code | meaning |\n| --- | --- |\n${lines.join('\n')}\n`
  })
  return `${introduction}\n${sections.join('\n')}`
}
