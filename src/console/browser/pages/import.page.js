import { may } from '../api/session.js'
import { html } from '../html.js'
import { PageHead } from '../parts/panel.js'
import { ExportForm } from './import/export-form.js'
import { ImportForm } from './import/import-form.js'

/** The import and the export of files. */
export function View() {
  return html`<${PageHead} title="Import" />
    <div class="stack">
      ${may('records:write') && html`<${ImportForm} />`}
      ${may('records:read') && html`<${ExportForm} />`}
    </div>`
}
