import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { formatCount, nameCount, toWords } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { CopyButton } from '../../parts/record-id.js'
import { RecordLine } from '../../parts/record-line.js'
import { Failure, Loading } from '../../parts/states.js'
import { useRecords } from '../../parts/use-records.js'
import { useRequest } from '../../parts/use-request.js'
import { query, setQuery } from '../../router.js'
import { CopyAsCurl } from './curl.js'
import { readTokens, usualTokens } from './question.js'

/** @import { Question } from './question.js' */

/** The text that a prompt would get for the question. @param {{ question: Question }} properties */
export function ContextText({ question }) {
  const body = { ...question, max_tokens: readTokens(), format: /** @type {const} */ ('markdown') }
  const { data, error, isLoading, reload } = useRequest(
    (signal) => api.post('/v1/context', { body, signal }),
    [JSON.stringify(body)],
  )
  const known = useRecords(data?.omitted.slice(0, maxOmitted).map(({ record_id }) => record_id) ?? [])
  const aside = html`<div class="row"><${TokenLimit} />${data && html`<${CopyButton} text=${data.text} label="Copy the text">Copy<//>`}<${CopyAsCurl} path="/v1/context" body=${body} /></div>`
  return html`<${Panel} title="Context" aside=${aside}>
    ${
      error !== undefined
        ? html`<${Failure} error=${error} retry=${reload} />`
        : !data
          ? html`<${Loading} lines=${10} />`
          : html`<p class="note">${nameCount(data.token_estimate, 'token')} of ${formatCount(body.max_tokens)}, ${nameCount(data.items.length, 'record')}, ${formatCount(data.omitted.length)} left out</p>
            ${
              data.text === ''
                ? html`<p class="none">The text is empty: nothing was found, or nothing fits.</p>`
                : html`${data.missing_words.length > 0 && html`<p class="note">No line has these words of the question: ${data.missing_words.join(', ')}. The text may be about something else.</p>`}
                  <pre class="content context-text" tabindex="0" role="region" aria-label="Text for a prompt" aria-busy=${isLoading}>${data.text}</pre>`
            }
            ${
              data.omitted.length > 0 &&
              html`<details><summary>Left out</summary>
                <ul class="found-list">
                  ${data.omitted.slice(0, maxOmitted).map(({ record_id: id, reason }) => html`<li key=${id} class="withheld"><${RecordLine} id=${id} known=${known} /><p class="note">${reasons[reason] ?? toWords(reason)}</p></li>`)}
                </ul>
              </details>`
            }`
    }
  <//>`
}

const maxOmitted = 20

/** @type {Readonly<Record<string, string>>} */
const reasons = {
  budget: 'It does not fit.',
  repetition: 'Another line says the same.',
  not_selected: 'Another skill or plan fits better.',
  only_name: 'Only its name is known.',
}

function TokenLimit() {
  const given = query.value.get('tokens') ?? String(usualTokens)
  const choose = (/** @type {Event & { currentTarget: HTMLInputElement }} */ { currentTarget: { value } }) =>
    setQuery({ tokens: value === String(usualTokens) ? undefined : value })
  return html`<label class="check token-limit note">Tokens<input key=${given} type="number" min="1" max="100000" step="100" defaultValue=${given} onChange=${choose} /></label>`
}
