import { isCommonWord } from './common-words.ts'

/** The words that most sentences of a language have some of. They say nothing of what a sentence is about. */
const functionWords: readonly ReadonlySet<string>[] = [
  // German
  `aber als am an auch auf aus bei beim bin bis bist bitte da das dass dein deine deinem deinen deiner dem den denn der
  des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es
  euch euer eure für gab gegen gern gibt hab habe haben habt hast hat hatte hatten hier ich ihm ihn ihnen ihr ihre
  ihrem ihren ihrer im in ins ist ja jetzt kann kein keine keinem keinen keiner konnte können mag man mein meine
  meinem meinen meiner mich mir mit muss möchte müssen nach nicht nichts noch nun nur ob oder ohne schon sehr sein
  seine seinem seinen seiner seit sich sie sind so soll sollen um und uns unser unsere unserem unseren unserer unter
  viel viele vielen vom von vor wann war waren warum was weil welche welchem welchen welcher welches wem wen wenn wer
  werden weshalb wessen wie wieso wieviel wieviele will wir wird wo woher wohin wollen wurde wurden zu zum zur über`,
  // Spanish
  `a al aquel aquella como con cual cuales cuando cuanta cuantas cuanto cuantos cuál cuáles cuándo cuánta cuántas
  cuánto cuántos cómo de del desde donde dónde e el ella ellas ello ellos en entre era eran eres es esa esas ese eso
  esos esta estaba estaban estamos estar estas este esto estos estoy está están fue fueron ha haber había habían han
  hasta hay he hemos la las le les lo los me mi mis muy más ni no nos nosotros nuestra nuestras nuestro nuestros o os
  para pero por porque que quien quienes quién quiénes qué se ser si sido sin sobre somos son soy su sus también te
  tenemos tengo tiene tienen tu tus tú u un una unas uno unos usted ustedes y ya yo él`,
  // French
  `a ai as au aussi aux avaient avait avec avez avoir avons c ce ces cet cette chez combien comment d dans de des dont
  du elle elles en es est et il ils j je l la le les leur leurs lui ma mais me mes moi mon n ne nos notre nous on
  ont ou où par pas peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se ses si son
  sont sous suis sur ta te tes toi ton tu un une vers vos votre vous y ça étaient était été être`,
  // Italian
  `a abbiamo agli ai al alla alle allo anche avere aveva avevano c che chi ci come con cosa cui d da dagli dai dal
  dalla dalle dallo degli dei del della delle dello di dov dove e ed era erano essere fra gli ha hai hanno ho i il in
  io l la le lei lo loro lui ma mi mia mie miei mio ne negli nei nel nella nelle nello noi non nostra nostre nostri
  nostro o per perché più può qual quale quali quando quanta quante quanti quanto quella quelli quello questa queste
  questi questo se sei si siamo sono sta stata stato su sua sue sugli sui sul sulla sulle suo suoi ti tra tu tua tue
  tuo un una uno vi voi vostra vostro è`,
  // Portuguese
  `a ao aos aquela aquele as até com como da das de do dos e ela elas ele eles em entre era eram essa esse esta estava
  estavam este estou está estão eu foi foram há isso isto já lhe mais mas me meu meus minha minhas muito na nas no nos
  nossa nossas nosso nossos num numa não nós o onde os ou para pela pelas pelo pelos por porque porquê quais qual
  quando quanta quantas quanto quantos que quem quê se sem ser seu seus sobre somos sou sua suas são também te tem
  temos tenho teu tinha tu tua têm um uma umas uns você vocês à às é`,
  // Dutch
  `aan al als ben bent bij dan dat de deze die dit door een en er geen haar had hadden heb hebben hebt heeft hem hen
  het hij hoe hoeveel hun ik in is je jij jou jouw jullie kan kunnen maar me met mij mijn moet moeten naar niet nog of
  om ons onze ook op over sinds te tegen tot u uit uw van voor waar waarom wanneer waren was wat we wel welk welke
  werd werden wie wij wil willen worden wordt zal ze zij zijn zo zonder zullen`,
].map((words) => new Set(words.split(/\s+/)))

/** English words of another meaning: "van door lock" is not Dutch. */
const english: ReadonlySet<string> = new Set(
  'aux bin den die dos door era hat hen man par plus sin son sue ton van war'.split(' '),
)

/** The function words of all these languages that are no English words. */
const otherWords: ReadonlySet<string> = new Set(
  functionWords.flatMap((words) => [...words].filter((word) => !english.has(word))),
)

/** One word may be of a name, such as "Le Monde". */
const fewest = 2

/** Whether words are of a sentence in another language than English. Words in an English vocabulary are then not expected. */
export function isOtherLanguage(words: readonly string[]): boolean {
  const lower = words.map((word) => word.toLowerCase())
  const others = lower.filter((word) => otherWords.has(word) || hasAccent(word)).length
  return others >= fewest && others > lower.filter(isCommonWord).length
}

/**
 * The words without the function words of their language, if it is not English; all words if no other would be left. English function
 * words are not indexed, and in short messages those of other languages are rare enough to decide what is found.
 */
export function dropFunctionWords(words: readonly string[]): readonly string[] {
  if (!isOtherLanguage(words)) return words
  const lower = words.map((word) => word.toLowerCase())
  const counts = functionWords.map((list) => lower.filter((word) => list.has(word)).length)
  const language = functionWords[counts.indexOf(Math.max(...counts))]
  const left = words.filter((_, at) => !language?.has(lower[at] ?? ''))
  return left.length > 0 ? left : words
}

/** Whether one word may be another that is misspelled: an accent is not written by mistake. */
export function mayMean(written: string, other: string): boolean {
  return !hasAccent(written) || hasAccent(other) || removeAccents(written) === other
}

function hasAccent(word: string): boolean {
  return removeAccents(word) !== word
}

function removeAccents(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '')
}
