import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { toWords } from '../../parts/numbers.js'
import { shortenId } from '../../parts/record-id.js'
import { toText } from '../../parts/record-text.js'
import { formatExact } from '../../parts/time.js'
import { useRecords } from '../../parts/use-records.js'
import { useRequest } from '../../parts/use-request.js'
import { toPath } from '../../router.js'

/** @import { ConversationMessage, RedactedMessage, RelationEdge, SeenRecord } from '../../api/types.d.ts' */

const maxLinks = 6

/** @param {{ message: ConversationMessage | RedactedMessage }} properties */
export function Message({ message }) {
  const { record_id: id, at } = message
  return html`<li class="message">
    <div class="message-head">
      ${'redacted' in message ? html`<span class="tag warn">redacted</span>` : html`<${Speaker} of=${message} />`}
      <a href=${toPath(['records', id])}><time datetime=${at}>${formatExact(at)}</time></a>
    </div>
    <div class="message-body">
      ${'redacted' in message ? html`<p class="note">Your key may know of this message, but not read it.</p>` : html`<${Said} message=${message} />`}
    </div>
    <${MadeOf} id=${id} isRedacted=${'redacted' in message} />
  </li>`
}

/** @param {{ of: ConversationMessage }} properties */
function Speaker({ of: { name, role } }) {
  return html`<span><b><bdi>${name ?? role}</bdi></b>${name !== undefined && html` <span class="note">${role}</span>`}</span>`
}

/** @param {{ message: ConversationMessage }} properties */
function Said({ message: { content, tool_calls: calls = [], metadata } }) {
  return html`${content !== '' && html`<p class="content" dir="auto">${content}</p>`}
    ${calls.map((call) => html`<${Call} key=${call.id} call=${call} />`)}
    ${metadata && html`<details><summary class="note">Metadata</summary><pre class="content">${JSON.stringify(metadata, null, 2)}</pre></details>`}`
}

/** @param {{ call: NonNullable<ConversationMessage['tool_calls']>[number] }} properties */
function Call({ call: { tool, args, result } }) {
  const parts = [args, result].filter((part) => part !== undefined)
  return html`<details><summary class="note">${result === undefined ? 'Calls' : 'Result of'} <code>${tool}</code></summary>
    ${parts.map((part, index) => html`<pre key=${index} class="content">${typeof part === 'string' ? part : JSON.stringify(part, null, 2)}</pre>`)}
  </details>`
}

/**
 * The records that the service made of a message, and the entities in it. Read when the message comes into view: there is no
 * call that tells it of many messages.
 * @param {{ id: string, isRedacted: boolean }} properties
 */
function MadeOf({ id, isRedacted }) {
  const element = useRef(/** @type {HTMLDivElement | null} */ (null))
  const isSeen = useSeen(element)
  const { data, error } = useRequest(
    async (signal) =>
      isSeen && !isRedacted
        ? api.get('/v1/records/{id}/relations', { path: { id }, query: { limit: maxLinks }, signal })
        : undefined,
    [id, isSeen, isRedacted],
  )
  const links = data?.items ?? []
  const records = useRecords(links.map(({ target_id: target }) => target))
  const hasMore = error !== undefined || data?.next_cursor !== undefined
  return html`<div ref=${element} class="made">
    ${links.length > 0 && html`<ul aria-label="Made of it">${links.map((link) => html`<${Made} key=${`${link.predicate} ${link.target_id}`} link=${link} record=${records.get(link.target_id)} />`)}</ul>`}
    ${hasMore && html`<a href=${toPath(['records', id])}>More in the record</a>`}
  </div>`
}

/** @type {Readonly<Record<string, string>>} */
const labels = { derives: 'became', mentions_entity: 'mentions', superseded_by: 'revised as' }

/** @param {{ link: RelationEdge, record: SeenRecord | null | undefined }} properties */
function Made({ link: { predicate, target_id: target }, record }) {
  const page = record?.type === 'entity' ? 'entities' : 'records'
  return html`<li><span class="note made-label">${labels[predicate] ?? toWords(predicate)}</span> <a class="clipped-line" href=${toPath([page, target])}><bdi>${record ? toText(record, 120) : shortenId(target)}</bdi></a></li>`
}

/** Whether an element was on the screen, or close to it. @param {{ current: Element | null }} element */
function useSeen(element) {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        setSeen(true)
      },
      { rootMargin: '200px' },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return isSeen
}
