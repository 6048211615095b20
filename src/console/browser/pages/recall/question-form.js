import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { Field, toOptions } from '../../parts/fields.js'
import { recordTypes } from '../../parts/record-types.js'
import { formatExact } from '../../parts/time.js'
import { useRequest } from '../../parts/use-request.js'
import { query, setQuery } from '../../router.js'

/** @typedef {Event & { currentTarget: HTMLInputElement | HTMLSelectElement }} Changed */

const typeOptions = toOptions(recordTypes, 'any')
const statusOptions = [
  { value: '', label: 'active only' },
  { value: 'all', label: 'also replaced and disputed' },
]

/** The question and its filters. All of it is in the address. */
export function QuestionForm() {
  const field = useRef(/** @type {HTMLFormElement | null} */ (null))
  const asked = query.value.get('q') ?? ''
  useEffect(() => {
    if (asked === '') field.current?.querySelector('input')?.focus()
  }, [])
  /** @param {SubmitEvent} event */
  function ask(event) {
    event.preventDefault()
    if (field.current === null) return
    const given = new FormData(field.current)
    const [q, scope] = ['q', 'scope'].map((name) => String(given.get(name)).trim())
    setQuery({ q, scope })
  }
  const choose = (/** @type {Changed} */ { currentTarget: { name, value } }) => setQuery({ [name]: value })
  return html`<form ref=${field} class="question" onSubmit=${ask}>
    <div class="question-text">
      <${Field} key=${asked} label="Question" name="q" initial=${asked} autocomplete="off" maxlength="10000" />
      <button type="submit" class="primary">Ask</button>
    </div>
    <${Field} key=${`in ${query.value.get('scope')}`} label="Scope" name="scope" initial=${query.value.get('scope') ?? ''} autocomplete="off" placeholder="any" onChange=${choose} />
    <${Field} label="Type" name="type" value=${query.value.get('type') ?? ''} options=${typeOptions} onChange=${choose} />
    <${Field} label="Status" name="status" value=${query.value.get('status') ?? ''} options=${statusOptions} onChange=${choose} />
    <${Instant} />
  </form>`
}

/** The steps of the slider from the oldest record to now. */
const steps = 1_000

/** Chooses the moment of which the memory is asked. */
function Instant() {
  const { data: oldest } = useRequest(readOldest, [])
  const [dragged, setDragged] = useState(/** @type {number | undefined} */ (undefined))
  const [now] = useState(Date.now)
  const asOf = Date.parse(query.value.get('as_of') ?? '')
  const from = Math.min(oldest ?? now, Number.isNaN(asOf) ? now : asOf)
  const span = Math.max(1, now - from)
  const step = dragged ?? (Number.isNaN(asOf) ? steps : Math.round(((asOf - from) / span) * steps))
  const moment = new Date(dragged === undefined && !Number.isNaN(asOf) ? asOf : from + (span * step) / steps)
  const shown = step >= steps ? 'now' : formatExact(moment.toISOString())
  /** @param {Changed} event */
  function choose({ currentTarget: { value } }) {
    setDragged(undefined)
    const chosen = new Date(from + (span * Number(value)) / steps).toISOString()
    setQuery({ as_of: Number(value) >= steps ? undefined : chosen }, { replace: true })
  }
  return html`<div class="field instant">
    <label for="as-of">As of <b>${shown}</b></label>
    <input id="as-of" type="range" min="0" max=${steps} value=${step} disabled=${span < 2} aria-valuetext=${shown}
      onInput=${(/** @type {Changed} */ { currentTarget }) => setDragged(Number(currentTarget.value))} onChange=${choose} />
  </div>`
}

/** When the oldest record was created. @param {AbortSignal} signal */
async function readOldest(signal) {
  const { items } = await api.get('/v1/records', {
    query: { sort: 'created_at', order: 'asc', limit: 1 },
    signal,
  })
  return items[0] && Date.parse(items[0].created_at)
}
