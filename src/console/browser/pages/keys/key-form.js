import { useState } from 'preact/hooks'
import { api } from '../../api/client.js'
import { describeProblem } from '../../api/problem.js'
import { caller } from '../../api/session.js'
import { html } from '../../html.js'
import { openDialog } from '../../parts/dialog.js'
import { Field, TextArea, toOptions } from '../../parts/fields.js'
import { Panel } from '../../parts/panel.js'
import { CopyButton } from '../../parts/record-id.js'
import { permissions, sensitivities, sourceTypes } from './key-terms.js'

/** @import { IssuedKey, NewKey } from '../../api/types.d.ts' */

/** Creates a key, and shows its secret once. @param {{ onCreated: () => void }} properties */
export function KeyForm({ onCreated }) {
  const [problem, setProblem] = useState(/** @type {string | undefined} */ (undefined))
  const [isBusy, setBusy] = useState(false)
  const [round, setRound] = useState(0)
  /** @param {SubmitEvent & { currentTarget: HTMLFormElement }} event */
  async function submit(event) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    if (isBusy) return
    setBusy(true)
    try {
      const key = await api.post('/v1/keys', { body: readForm(data) })
      setRound(round + 1)
      setProblem(undefined)
      onCreated()
      showSecret(key)
    } catch (error) {
      setProblem(describeProblem(error))
    }
    setBusy(false)
  }
  return html`<${Panel} title="New key">
    <form key=${round} class="stack" onSubmit=${submit}>
      <div class="fields">
        <${Field} label="Name" name="name" required maxlength="256" autocomplete="off" note="The audit log shows it." />
        <${CeilingField} />
        <${Field} label="Source type" name="source_type" options=${toOptions(sourceTypes, 'default')} value="" note="How much its records are trusted. Default: ingest." />
        <${Field} label="Expires" name="expires_at" type="datetime-local" note=${caller.value?.expires_at ? 'Empty: with your key.' : 'Empty: never.'} />
      </div>
      <div class="fields wide">
        <${PermissionBoxes} />
        <${TextArea} label="Scopes" name="scopes" rows="4" spellcheck=${false} value=${(caller.value?.scopes ?? []).join('\n')} note="One in each line. Empty: all scopes. Records without a scope are seen by every key." />
      </div>
      ${problem !== undefined && html`<p role="alert" class="problem">${problem}</p>`}
      <div class="row"><button type="submit" class="primary" disabled=${isBusy}>Create</button></div>
    </form>
  <//>`
}

/** A key cannot create one that sees more than itself. */
function CeilingField() {
  const most = caller.value?.max_sensitivity ?? 'hyper'
  const options = sensitivities.slice(0, sensitivities.indexOf(most) + 1)
  const usual = options.includes('low') ? 'low' : most
  return html`<${Field} label="Reads up to" name="max_sensitivity" options=${options} value=${usual} note="The highest sensitivity that it reads in full." />`
}

function PermissionBoxes() {
  return html`<fieldset class="boxes">
    <legend>Permissions</legend>
    ${permissions.map(
      ({ name, meaning }) => html`<div key=${name}>
        <label class="check"><input type="checkbox" name="permissions" value=${name} aria-describedby=${`may-${name}`} defaultChecked=${name === 'records:read'} />${name}</label>
        <span class="note" id=${`may-${name}`}>${meaning}</span>
      </div>`,
    )}
  </fieldset>`
}

/** @param {FormData} data @returns {NewKey} */
function readForm(data) {
  const text = (/** @type {string} */ name) => String(data.get(name) ?? '').trim()
  const scopes = text('scopes')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const source = text('source_type')
  const expires = text('expires_at')
  // The service refuses an unknown value.
  const body = {
    name: text('name'),
    permissions: data.getAll('permissions').map(String),
    scopes: [...new Set(scopes)],
    max_sensitivity: text('max_sensitivity'),
    ...(source === '' ? {} : { source_type: source }),
    ...(expires === '' ? {} : { expires_at: new Date(expires).toISOString() }),
  }
  return /** @type {NewKey} */ (body)
}

/** @param {IssuedKey} key */
function showSecret({ name, secret }) {
  openDialog({
    title: 'Key created',
    Body: ({ close }) => html`<div class="stack">
      <p>The secret of <bdi>${name}</bdi>. It is shown only now: copy it, and store it where secrets are kept.</p>
      <div class="row secret"><code>${secret ?? ''}</code><${CopyButton} text=${secret ?? ''} label="Copy the secret">Copy<//></div>
      <div class="dialog-actions"><button type="button" class="primary" onClick=${() => close()}>Done</button></div>
    </div>`,
  })
}
