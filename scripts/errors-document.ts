import { STATUS_CODES } from 'node:http'
import { getHttpStatus } from '../src/http/problems/problems.ts'
import { catalogue, type ErrorCode } from '../src/kernel/errors.ts'

const introduction = `# Errors

Every error is an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problem, \`application/problem+json\`:

| member | |
| --- | --- |
| \`type\` | \`urn:membrane:problem:\` and the code |
| \`title\` | the meaning of the code; always the same text |
| \`status\` | the HTTP status |
| \`detail\` | what went wrong in this request |
| \`code\` | one of the codes below; stable, so programs can depend on it |
| \`request_id\` | the id of the request in the log; also the \`X-Request-Id\` header |
| \`errors\` | with \`validation_failed\`: every invalid place, as \`{pointer, message}\`; a pointer is an RFC 6901 pointer into the body, or \`?name\` for a query parameter |

429 and most 503 answers have \`Retry-After\`. A 5xx answer contains no details; the log does.
`

/** Returns docs/errors.md: the catalogue of errors, ordered by status. */
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
