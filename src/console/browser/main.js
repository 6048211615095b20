import { render } from 'preact'
import { openSession } from './api/session.js'
import { html } from './html.js'
import { startRouter } from './router.js'
import { startKeyboard } from './shell/keyboard.js'
import { Shell } from './shell/shell.js'

startRouter()
startKeyboard()
render(html`<${Shell} />`, document.body)
openSession()
