import { html } from '../html.js'
import { toPath } from '../router.js'
import { RecordId } from './record-id.js'
import { toText } from './record-text.js'

/** @import { KnownRecords } from './use-records.js' */

/**
 * A record as a list names it: its text as a link, and its id. Both keep their place while the text is loading.
 * @param {{ id: string, known: KnownRecords, absent?: string | undefined, linkId?: string }} properties `absent` says what a record is that cannot be read
 */
export function RecordLine({ id, known, absent = 'not stored, or not for this key', linkId }) {
  const record = known.get(id)
  const href = toPath(['records', id])
  const show = () => {
    if (record === undefined) return html`<span class="bone" role="status" aria-label="Loading"></span>`
    if (record === null) return html`<span class="none">${absent}</span>`
    return html`<a id=${linkId} class="record-link content" dir="auto" href=${href}>${toText(record)}</a>`
  }
  return html`<div class="record-line">
    ${show()}
    <${RecordId} id=${id} isLink=${record !== null} />
  </div>`
}
