import { key } from '../../api/key.js'
import { html } from '../../html.js'
import { CopyButton } from '../../parts/record-id.js'

/** Copies a request as a command for a shell. @param {{ path: string, body: object }} properties */
export function CopyAsCurl({ path, body }) {
  return html`<${CopyButton} text=${formatCurl(path, body)} label="Copy as curl">Copy as curl<//>`
}

/**
 * The command never holds the key: a shell keeps what was typed. It names the variable that has it.
 * @param {string} path
 * @param {object} body
 */
function formatCurl(path, body) {
  const lines = [
    `curl -s ${quote(`${location.origin}${path}`)}`,
    ...(key.value === undefined ? [] : ['-H "Authorization: Bearer $MEMBRANE_API_KEY"']),
    "-H 'Content-Type: application/json'",
    `-d ${quote(JSON.stringify(body))}`,
  ]
  return lines.join(' \\\n  ')
}

/** A word of a shell, in which nothing has a meaning. @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}
