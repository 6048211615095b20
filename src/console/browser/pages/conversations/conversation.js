import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { nameCount } from '../../parts/numbers.js'
import { PageHead } from '../../parts/panel.js'
import { showLoaded } from '../../parts/states.js'
import { Pager } from '../../parts/table.js'
import { formatDay } from '../../parts/time.js'
import { useRequest } from '../../parts/use-request.js'
import { query, toPath } from '../../router.js'
import { Message } from './message.js'

/** @import { ConversationMessage, Conversation as Figures } from '../../api/types.d.ts' */

const pageSize = 50

/** The messages of a conversation in order, with what was made of each. @param {{ id: string }} properties */
export function Conversation({ id }) {
  const scope = query.value.get('in') ?? undefined
  const cursor = query.value.get('cursor') ?? undefined
  // Without it, the service would look in the scope of the key.
  const where = scope === undefined ? { unscoped: true } : { scope }
  const path = { conversation_id: id }
  const figures = useRequest(
    (signal) => api.get('/v1/conversations/{conversation_id}', { path, query: where, signal }),
    [id, scope],
  )
  const request = useRequest(
    (signal) =>
      api.get('/v1/conversations/{conversation_id}/messages', {
        path,
        query: { ...where, cursor, limit: pageSize, mask_secrets: true },
        signal,
      }),
    [id, scope, cursor],
  )
  return html`<${PageHead} title="Conversations"><a href=${toPath(['conversations'])}>All conversations</a><//>
    <div class="stack">
      <h2 class="content">${id}</h2>
      ${request.error === undefined && html`<${Summary} figures=${figures.data} />`}
      ${showLoaded(request, 14, ({ items, next_cursor }) => html`<${Messages} messages=${items} next=${next_cursor} isBusy=${request.isLoading} />`)}
    </div>`
}

/** @param {{ figures: Figures | undefined }} properties */
function Summary({ figures }) {
  if (!figures) return html`<p class="note">…</p>`
  const { messages, speakers, scope, first_at: first, last_at: last } = figures
  return html`<p class="note">${nameCount(messages, 'message')} of ${nameCount(speakers.length, 'speaker')}${scope !== undefined && html` in <bdi>${scope}</bdi>`}${first !== undefined && last !== undefined && `, from ${formatDay(first)} to ${formatDay(last)}`}</p>`
}

/** @param {{ messages: readonly ConversationMessage[], next: string | undefined, isBusy: boolean }} properties */
function Messages({ messages, next, isBusy }) {
  return html`<ol class="messages" aria-busy=${isBusy}>${messages.map((message) => html`<${Message} key=${message.record_id} message=${message} />`)}</ol>
    <${Pager} next=${next} />`
}
