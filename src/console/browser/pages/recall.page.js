import { html } from '../html.js'
import { PageHead } from '../parts/panel.js'
import { Empty } from '../parts/states.js'
import { Answer } from './recall/answer.js'
import { readQuestion } from './recall/question.js'
import { QuestionForm } from './recall/question-form.js'

/** A question, what is recalled for it, and why. */
export function View() {
  const question = readQuestion()
  return html`<${PageHead} title="Recall" />
    <div class="stack">
      <${QuestionForm} />
      ${
        question
          ? html`<${Answer} question=${question} />`
          : html`<${Empty} title="Ask what an agent would ask">The answer shows the recalled records, the reasons for their order, and the withheld records.<//>`
      }
    </div>`
}
