import { useEffect, useRef, useState } from 'preact/hooks'
import { keyProblem } from '../api/key.js'
import { signIn } from '../api/session.js'
import { html } from '../html.js'

/** Asks for a key. The page behind its address opens as soon as the key works. */
export function SignIn() {
  const [problem, setProblem] = useState(/** @type {string | undefined} */ (undefined))
  const [isBusy, setBusy] = useState(false)
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  useEffect(() => {
    document.title = 'Sign in – Membrane'
    field.current?.focus()
  }, [])
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault()
    setBusy(true)
    const wrong = await signIn(field.current?.value.trim() ?? '')
    // If signing in worked, this form is gone by now.
    if (wrong === undefined) return
    setBusy(false)
    setProblem(wrong)
    field.current?.select()
  }
  const shown = problem ?? keyProblem.value
  return html`<main class="lone">
    <h1><span class="brand-mark" aria-hidden="true"></span>Membrane</h1>
    <form onSubmit=${submit} class="sign-in">
      <label for="api-key">API key</label>
      <input ref=${field} id="api-key" type="password" autocomplete="off" spellcheck=${false} required aria-describedby="api-key-note" aria-invalid=${shown === undefined ? undefined : 'true'} />
      <p id="api-key-note" class="note">The root key, or a key made with POST /v1/keys. It stays in this tab and is gone when the tab closes.</p>
      ${shown !== undefined && html`<p role="alert" class="problem">${shown}</p>`}
      <button type="submit" class="primary" disabled=${isBusy}>Sign in</button>
    </form>
  </main>`
}
