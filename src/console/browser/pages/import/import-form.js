import { useEffect, useRef, useState } from 'preact/hooks'
import { upload } from '../../api/upload.js'
import { html } from '../../html.js'
import { Field } from '../../parts/fields.js'
import { Panel } from '../../parts/panel.js'
import { chooseMediaType, formats } from './formats.js'
import { addLine, createEmptyReport } from './import-report.js'
import { Progress, Report } from './report-view.js'

/** @import { Report as ReportData } from './import-report.js' */

/** @typedef {{ isDryRun: boolean, fileName: string, sent: number, report: ReportData, state: 'running' | 'done' | 'stopped' | 'failed', error?: unknown }} Run */

/** The report is drawn this often at most: a line may arrive every few microseconds. */
const drawMs = 100

/** Sends a file, first without storing anything. */
export function ImportForm() {
  const [file, setFile] = useState(/** @type {File | undefined} */ (undefined))
  const [format, setFormat] = useState('')
  const [scope, setScope] = useState('')
  const { run, start, stop, clear } = useImport()
  const isRunning = run?.state === 'running'
  const isChecked = run?.isDryRun === true && run.state === 'done'
  /** The report is about the former choices, so it is removed. @param {() => void} change */
  const changed = (change) => {
    change()
    clear()
  }
  /** @param {boolean} isDryRun */
  const begin = (isDryRun) => file && start(file, { format, scope: scope.trim(), isDryRun })
  return html`<${Panel} title="Upload">
    <div class="fields">
      <${Field} label="File" type="file" disabled=${isRunning} onChange=${(/** @type {Event & { currentTarget: HTMLInputElement }} */ { currentTarget }) => changed(() => setFile(currentTarget.files?.[0]))} note="An export of Membrane, or a file of another program." />
      <${Field} label="Format" options=${formats} value=${format} disabled=${isRunning} onChange=${(/** @type {Event & { currentTarget: HTMLSelectElement }} */ { currentTarget }) => changed(() => setFormat(currentTarget.value))} />
      <${Field} label="Scope" value=${scope} disabled=${isRunning} maxlength="256" autocomplete="off" onInput=${(/** @type {Event & { currentTarget: HTMLInputElement }} */ { currentTarget }) => changed(() => setScope(currentTarget.value))} note="All records are stored in this scope. An export of Membrane has its own scopes." />
    </div>
    <div class="row">
      <button type="button" class=${isChecked ? undefined : 'primary'} disabled=${!file || isRunning} onClick=${() => begin(true)}>Dry run</button>
      <button type="button" class=${isChecked ? 'primary' : undefined} disabled=${!file || isRunning} onClick=${() => begin(false)}>Import</button>
      ${isRunning && html`<button type="button" onClick=${stop}>Stop</button>`}
    </div>
    ${run && (isRunning ? html`<${Progress} run=${run} />` : html`<${Report} run=${run} />`)}
  <//>`
}

function useImport() {
  const [run, setRun] = useState(/** @type {Run | undefined} */ (undefined))
  const controller = useRef(/** @type {AbortController | undefined} */ (undefined))
  useEffect(() => () => controller.current?.abort(), [])
  /**
   * @param {File} file
   * @param {{ format: string, scope: string, isDryRun: boolean }} how
   */
  async function start(file, { format, scope, isDryRun }) {
    const aborting = new AbortController()
    controller.current = aborting
    /** @type {Run} */
    const current = { isDryRun, fileName: file.name, sent: 0, report: createEmptyReport(), state: 'running' }
    const draw = () => !aborting.signal.aborted && setRun({ ...current })
    const timer = setInterval(draw, drawMs)
    draw()
    try {
      await upload('/v1/import', {
        file,
        mediaType: chooseMediaType(file.name, format),
        signal: aborting.signal,
        // A browser reads the answer only after the whole file is sent, so the answer must be short.
        query: { dry_run: isDryRun, format, scope, report: 'refused', mask_secrets: true },
        onSent: (share) => {
          current.sent = share
        },
        onLine: (line) => addLine(current.report, line),
      })
      current.state = 'done'
    } catch (error) {
      current.state = aborting.signal.aborted ? 'stopped' : 'failed'
      current.error = error
    }
    clearInterval(timer)
    setRun({ ...current })
  }
  return { run, start, stop: () => controller.current?.abort(), clear: () => setRun(undefined) }
}
