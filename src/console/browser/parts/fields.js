import { useId } from 'preact/hooks'
import { html } from '../html.js'
import { toWords } from './numbers.js'

/** @typedef {Record<string, unknown> & { label: string, note?: string | undefined, value?: string | undefined, initial?: string | undefined }} FieldProperties */
/** @typedef {string | { value: string, label: string }} Option */

/**
 * A labelled field: an input, or a choice where it has options. Other properties go to the element. With `value`, the field
 * shows it at each drawing; `initial` stands there only until something else is typed.
 * @param {FieldProperties & { options?: readonly Option[] | undefined, type?: string }} properties
 */
export function Field({ label, note, options, value, initial, ...more }) {
  const id = useId()
  const described = { ...more, id, 'aria-describedby': note === undefined ? undefined : `${id}-note` }
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${
      options
        ? html`<select ...${described} ...${value === undefined ? {} : { value }}>
            ${options.map((option) => html`<${Choice} key=${getLabel(option)} option=${option} isSelected=${getLabel(option) === (value ?? initial)} />`)}
          </select>`
        : html`<input type="text" dir="auto" ...${described} ...${value === undefined ? { defaultValue: initial } : { value }} />`
    }
    ${note !== undefined && html`<p id=${`${id}-note`} class="note">${note}</p>`}
  </div>`
}

/**
 * The names as options, after one with the text `none` for no choice.
 * @param {readonly string[]} names
 * @param {string} [none]
 * @returns {readonly Option[]}
 */
export function toOptions(names, none) {
  const options = names.map((value) => ({ value, label: toWords(value) }))
  return none ? [{ value: '', label: none }, ...options] : options
}

/** @param {Option} option */
function getLabel(option) {
  return typeof option === 'string' ? option : option.value
}

/** @param {{ option: Option, isSelected: boolean }} properties */
function Choice({ option, isSelected }) {
  const label = typeof option === 'string' ? option : option.label
  return html`<option value=${getLabel(option)} selected=${isSelected}>${label}</option>`
}

/** @param {FieldProperties} properties */
export function TextArea({ label, note, value, ...more }) {
  const id = useId()
  const describedBy = note === undefined ? undefined : `${id}-note`
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <textarea dir="auto" ...${more} id=${id} aria-describedby=${describedBy}>${value ?? ''}</textarea>
    ${note !== undefined && html`<p id=${`${id}-note`} class="note">${note}</p>`}
  </div>`
}

/** @param {Record<string, unknown> & { label: string, isHidden?: boolean }} properties `isHidden` names the box without a text beside it. */
export function Checkbox({ label, isHidden = false, ...more }) {
  if (isHidden) return html`<input type="checkbox" aria-label=${label} ...${more} />`
  return html`<label class="check"><input type="checkbox" ...${more} />${label}</label>`
}
