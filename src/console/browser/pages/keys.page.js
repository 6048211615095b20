import { api } from '../api/client.js'
import { html } from '../html.js'
import { PageHead } from '../parts/panel.js'
import { Empty, showLoaded } from '../parts/states.js'
import { Pager } from '../parts/table.js'
import { useRequest } from '../parts/use-request.js'
import { query } from '../router.js'
import { KeyForm } from './keys/key-form.js'
import { KeyTable } from './keys/key-table.js'

/** Who may do and see what. */
export function View() {
  const cursor = query.value.get('cursor') ?? undefined
  const request = useRequest((signal) => api.get('/v1/keys', { query: { cursor }, signal }), [cursor])
  return html`<${PageHead} title="Keys" />
    <div class="stack">
      <${KeyForm} onCreated=${request.reload} />
      ${showLoaded(request, 6, (data) =>
        data.items.length === 0
          ? html`<${Empty} title="No keys yet">Create one for each client, so that each sees only what it needs and can be revoked alone.<//>`
          : html`<div><${KeyTable} keys=${data.items} isBusy=${request.isLoading} onRevoked=${request.reload} /><${Pager} next=${data.next_cursor} /></div>`,
      )}
    </div>`
}
