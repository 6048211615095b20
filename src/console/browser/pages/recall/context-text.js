import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { formatCount, nameCount, toWords } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { CopyButton } from '../../parts/record-id.js'
import { RecordLine } from '../../parts/record-line.js'
import { showLoaded } from '../../parts/states.js'
import { useRecords } from '../../parts/use-records.js'
import { useRequest } from '../../parts/use-request.js'
import { query, setQuery } from '../../router.js'
import { CopyAsCurl } from './curl.js'
import { readTokens, usualTokens } from './question.js'

/** @import { PromptContext } from '../../api/types.d.ts' */
/** @import { Question } from './question.js' */

/** The text that a prompt would get for the question. @param {{ question: Question }} properties */
export function ContextText({ question }) {
  const body = { ...question, max_tokens: readTokens(), format: /** @type {const} */ ('markdown') }
  const request = useRequest((signal) => api.post('/v1/context', { body, signal }), [JSON.stringify(body)])
  const aside = html`<div class="row"><${TokenLimit} />${request.data && html`<${CopyButton} text=${request.data.text} label="Copy the text">Copy<//>`}<${CopyAsCurl} path="/v1/context" body=${body} /></div>`
  return html`<${Panel} title="Context" aside=${aside}>
    ${showLoaded(request, 10, (data) => html`<${Text} context=${data} maxTokens=${body.max_tokens} isBusy=${request.isLoading} /><${LeftOut} omitted=${data.omitted} />`)}
  <//>`
}

/** @param {{ context: PromptContext, maxTokens: number, isBusy: boolean }} properties */
function Text({ context: { text, token_estimate, items, omitted, missing_words }, maxTokens, isBusy }) {
  const figures = html`<p class="note">${nameCount(token_estimate, 'token')} of ${formatCount(maxTokens)}, ${nameCount(items.length, 'record')}, ${formatCount(omitted.length)} left out</p>`
  if (text === '')
    return html`${figures}<p class="none">The text is empty: nothing was found, or nothing fits.</p>`
  return html`${figures}
    ${missing_words.length > 0 && html`<p class="note">No line has these words of the question: ${missing_words.join(', ')}. The text may be about something else.</p>`}
    <pre class="content context-text" tabindex="0" role="region" aria-label="Text for a prompt" aria-busy=${isBusy}>${text}</pre>`
}

/** @param {{ omitted: PromptContext['omitted'] }} properties */
function LeftOut({ omitted }) {
  const shown = omitted.slice(0, maxOmitted)
  const known = useRecords(shown.map(({ record_id }) => record_id))
  if (shown.length === 0) return null
  return html`<details><summary>Left out</summary>
    <ul class="found-list">
      ${shown.map(({ record_id: id, reason }) => html`<li key=${id} class="withheld"><${RecordLine} id=${id} known=${known} /><p class="note">${reasons[reason] ?? toWords(reason)}</p></li>`)}
    </ul>
  </details>`
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
