import { useEffect, useRef, useState } from 'preact/hooks'
import { send } from '../../api/client.js'
import { describeProblem, readProblem } from '../../api/problem.js'
import { html } from '../../html.js'
import { Checkbox, Field, toOptions } from '../../parts/fields.js'
import { Panel } from '../../parts/panel.js'
import { recordTypes } from '../../parts/record-types.js'
import { countBytes, openTarget } from './save-stream.js'

/** @typedef {{ state: 'running' | 'done' | 'failed', bytes: number, problem?: string }} Progress */

/** Writes the records that the key sees whole to a file. The key goes in a header, so a plain link would not do. */
export function ExportForm() {
  const { progress, start, stop } = useExport()
  /** @param {SubmitEvent & { currentTarget: HTMLFormElement }} event */
  function submit(event) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    start({
      scope: String(data.get('scope') ?? '').trim(),
      type: String(data.get('type') ?? ''),
      include_forgotten: data.has('include_forgotten') || undefined,
      embeddings: data.has('embeddings') || undefined,
    })
  }
  const isRunning = progress?.state === 'running'
  return html`<${Panel} title="Export">
    <form class="stack" onSubmit=${submit}>
      <div class="fields">
        <${Field} label="Only from" name="scope" maxlength="256" autocomplete="off" note="A scope. Empty: all that your key sees." />
        <${Field} label="Only of type" name="type" options=${toOptions(recordTypes, 'any')} value="" />
        <div class="stack boxes">
          <${Checkbox} label="With forgotten records" name="include_forgotten" />
          <${Checkbox} label="With vectors" name="embeddings" />
        </div>
      </div>
      <div class="row">
        <button type="submit" disabled=${isRunning}>Export</button>
        ${isRunning && html`<button type="button" onClick=${stop}>Stop</button>`}
        <span role="status" class="note">${progress && describe(progress)}</span>
      </div>
      ${progress?.problem !== undefined && html`<p role="alert" class="problem">${progress.problem}</p>`}
    </form>
  <//>`
}

/** @param {Progress} progress */
function describe({ state, bytes }) {
  const size = `${(bytes / 1_000_000).toFixed(1)} MB`
  return { running: `${size} so far`, done: `Saved ${size}.`, failed: '' }[state]
}

function useExport() {
  const [progress, setProgress] = useState(/** @type {Progress | undefined} */ (undefined))
  const controller = useRef(/** @type {AbortController | undefined} */ (undefined))
  useEffect(() => () => controller.current?.abort(), [])
  /** @param {Readonly<Record<string, unknown>>} query */
  async function start(query) {
    const aborting = new AbortController()
    const { signal } = aborting
    controller.current = aborting
    let bytes = 0
    try {
      const save = await openTarget(`membrane-${new Date().toISOString().slice(0, 10)}.ndjson`)
      if (!save) return
      setProgress({ state: 'running', bytes })
      const response = await send('get', '/v1/export', { query, signal })
      if (!response.ok || !response.body) throw await readProblem(response)
      const counter = countBytes((more) => {
        bytes += more
        setProgress({ state: 'running', bytes })
      })
      await save(response.body.pipeThrough(counter))
      setProgress({ state: 'done', bytes })
    } catch (error) {
      const problem = signal.aborted ? 'Stopped: the file is not complete.' : describeProblem(error)
      setProgress({ state: 'failed', bytes, problem })
    }
  }
  return { progress, start, stop: () => controller.current?.abort() }
}
