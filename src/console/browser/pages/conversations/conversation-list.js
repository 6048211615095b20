import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { Field } from '../../parts/fields.js'
import { formatCount } from '../../parts/numbers.js'
import { PageHead } from '../../parts/panel.js'
import { Empty, showLoaded } from '../../parts/states.js'
import { Pager, scopeColumn, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { useRequest } from '../../parts/use-request.js'
import { query, setQuery, toPath } from '../../router.js'

/** @import { Conversation } from '../../api/types.d.ts' */
/** @import { Column } from '../../parts/table.js' */

const pageSize = 50
const maxSpeakers = 3

/** The conversations, the one to which a message was added last first. */
export function ConversationList() {
  const scope = query.value.get('scope') ?? undefined
  const cursor = query.value.get('cursor') ?? undefined
  const request = useRequest(
    (signal) => api.get('/v1/conversations', { query: { scope, cursor, limit: pageSize }, signal }),
    [scope, cursor],
  )
  return html`<${PageHead} title="Conversations" />
    <div class="stack">
      <div class="fields"><${Field} label="Only of the scope" value=${scope ?? ''} maxlength="256" autocomplete="off" onChange=${(/** @type {Event & { currentTarget: HTMLInputElement }} */ { currentTarget }) => setQuery({ scope: currentTarget.value.trim(), cursor: undefined })} /></div>
      ${showLoaded(request, 10, (data) =>
        data.items.length === 0
          ? html`<${Nothing} scope=${scope} />`
          : html`<div><${Table} caption="Conversations" columns=${columns} rows=${data.items} keyOf=${formatKey} isBusy=${request.isLoading} /><${Pager} next=${data.next_cursor} /></div>`,
      )}
    </div>`
}

/** @param {{ scope: string | undefined }} properties */
function Nothing({ scope }) {
  return scope === undefined
    ? html`<${Empty} title="No conversations yet">Add messages with <code>POST /v1/conversations/{id}/messages</code>, or import a file of a chat.<//>`
    : html`<${Empty} title="No conversations in this scope">Or your key does not see this scope. Empty the field to see all conversations.<//>`
}

/** The same id may be in several scopes. @param {Conversation} conversation */
function formatKey({ id, scope }) {
  return JSON.stringify([scope, id])
}

/** @type {readonly Column<Conversation>[]} */
const columns = [
  {
    name: 'id',
    label: 'Conversation',
    isMain: true,
    show: ({ id, scope }) =>
      html`<a href=${toPath(['conversations', id], scope === undefined ? {} : { in: scope })} title=${id} dir="auto">${id}</a>`,
  },
  { name: 'messages', label: 'Messages', isNumber: true, show: ({ messages }) => formatCount(messages) },
  { name: 'speakers', label: 'Speakers', show: ({ speakers }) => html`<${Speakers} of=${speakers} />` },
  scopeColumn,
  { name: 'first', label: 'From', show: ({ first_at }) => html`<${Time} at=${first_at} />` },
  { name: 'last', label: 'To', show: ({ last_at }) => html`<${Time} at=${last_at} />` },
  { name: 'updated', label: 'Last added', show: ({ updated_at }) => html`<${Time} at=${updated_at} />` },
]

/** @param {{ of: Conversation['speakers'] }} properties */
function Speakers({ of: speakers }) {
  const shown = speakers.slice(0, maxSpeakers)
  const more = speakers.length - shown.length
  return html`<span class="row tight">${shown.map(({ name }) => html`<bdi key=${name} class="tag">${name}</bdi>`)}${more > 0 && html`<span class="note">+${more}</span>`}</span>`
}
