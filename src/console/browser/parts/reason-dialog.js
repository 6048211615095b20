import { useState } from 'preact/hooks'
import { describeProblem } from '../api/problem.js'
import { caller } from '../api/session.js'
import { html } from '../html.js'
import { openDialog } from './dialog.js'
import { Field, TextArea } from './fields.js'

/** @import { ComponentChildren } from 'preact' */
/** @import { Option } from './fields.js' */

/** @typedef {{ actor: string, rationale: string }} Because what every change says about itself */

/**
 * @typedef {object} Question
 * @property {string} action the name of the button, and the title
 * @property {ComponentChildren} [explanation] what will happen
 * @property {boolean} [isDangerous]
 * @property {boolean} [needsReason] false for a setting, which has no log
 * @property {readonly string[]} [confirmation] one of these words must be typed before the button works
 * @property {readonly ExtraField[]} [fields] what is asked beside the reason
 * @property {(answers: Readonly<Record<string, string>>, because: Because) => Promise<unknown>} act
 *   its failure is shown in the dialog, which stays open
 */

/** @typedef {{ name: string, label: string, kind?: 'text' | 'number' | 'select' | 'long', options?: readonly Option[], value?: string, note?: string, isOptional?: boolean, min?: number, max?: number, step?: number }} ExtraField */

/**
 * Asks why, then acts. Every change of the memory says its reason in the audit log.
 * @param {Question} question
 * @returns {Promise<boolean>} whether it was done
 */
export async function askReason(question) {
  const Body = (/** @type {{ close: (result?: unknown) => void }} */ { close }) =>
    html`<${ReasonForm} question=${question} close=${close} />`
  return (await openDialog({ title: question.action, Body })) === true
}

/** @param {{ question: Question, close: (result?: unknown) => void }} properties */
function ReasonForm({ question, close }) {
  const { action, explanation, confirmation, fields = [], isDangerous = false, needsReason = true } = question
  const [problem, setProblem] = useState(/** @type {string | undefined} */ (undefined))
  const [isBusy, setBusy] = useState(false)
  const [typed, setTyped] = useState('')
  const isConfirmed = confirmation === undefined || confirmation.includes(typed.trim().toLowerCase())
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault()
    if (isBusy || !isConfirmed || !(event.currentTarget instanceof HTMLFormElement)) return
    const answers = readAnswers(event.currentTarget)
    setBusy(true)
    try {
      await question.act(answers, {
        actor: caller.peek()?.name ?? 'console',
        rationale: answers['reason'] ?? '',
      })
      close(true)
    } catch (error) {
      setProblem(describeProblem(error))
      setBusy(false)
    }
  }
  return html`<form onSubmit=${submit} class="stack">
    ${explanation !== undefined && html`<p class="note">${explanation}</p>`}
    ${fields.map((field) => html`<${Extra} key=${field.name} field=${field} />`)}
    ${needsReason && html`<${TextArea} label="Reason" name="reason" required rows="2" maxlength="2000" autofocus=${fields.length === 0} />`}
    ${
      confirmation !== undefined &&
      html`<${Field} label="Confirmation" name="confirmation" autocomplete="off" note=${`Type ${confirmation[0]} to confirm.`} onInput=${(/** @type {InputEvent & { currentTarget: HTMLInputElement }} */ event) => setTyped(event.currentTarget.value)} />`
    }
    ${problem !== undefined && html`<p role="alert" class="problem">${problem}</p>`}
    <div class="dialog-actions">
      <button type="button" onClick=${() => close()}>Cancel</button>
      <button type="submit" class=${isDangerous ? 'danger' : 'primary'} disabled=${isBusy || !isConfirmed}>${action}</button>
    </div>
  </form>`
}

/** @param {{ field: ExtraField }} properties */
function Extra({ field: { kind = 'text', isOptional = false, options = [], value, ...field } }) {
  if (kind === 'long')
    return html`<${TextArea} ...${field} value=${value} required=${!isOptional} rows="4" />`
  return html`<${Field} ...${field} initial=${value} type=${kind} options=${kind === 'select' ? options : undefined} required=${!isOptional} />`
}

/**
 * @param {HTMLFormElement} form
 * @returns {Readonly<Record<string, string>>}
 */
function readAnswers(form) {
  const entries = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()])
  return Object.fromEntries(entries)
}
