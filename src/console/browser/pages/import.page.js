import { may } from '../api/session.js'
import { html } from '../html.js'
import { PageHead } from '../parts/panel.js'
import { ExportForm } from './import/export-form.js'
import { ImportForm } from './import/import-form.js'

/** What comes in as a file, and what goes out as one. */
export function View() {
  return html`<${PageHead} title="Import" />
    <div class="stack">
      ${may('records:write') && html`<${ImportForm} />`}
      ${may('records:read') && html`<${ExportForm} />`}
    </div>`
}
