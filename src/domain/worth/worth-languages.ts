import { holdsUnspaced } from '../words/unspaced-scripts.ts'

/**
 * The words of worth-parts.ts in other languages. Without them a text in German or Chinese has no times and no preferences, and a
 * store of several languages forgets these texts first.
 */

type Words = { latin: RegExp; unspaced: RegExp }

/** Words between letters of scripts with spaces; in other scripts letters in a row. */
function createWords(latin: string, unspaced: string): Words {
  return {
    latin: new RegExp(`(?<![\\p{L}\\p{N}])(?:${latin})(?![\\p{L}\\p{N}])`, 'gu'),
    unspaced: new RegExp(unspaced, 'gu'),
  }
}

const germanTimes =
  'januar|februar|märz|mai|juni|juli|oktober|dezember|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|gestern|heute|(?<!guten )morgen|übermorgen|wochenende|geburtstag|frist|uhr'
const frenchTimes =
  'janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|(?:lun|mar|mercre|jeu|vendre|same)dis?|dimanches?|hier|aujourd.hui|demain|anniversaire|échéance'
const spanishTimes =
  'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|ayer|hoy|mañana|cumpleaños|plazo'

const numeral = '[\\d〇零一二三四五六七八九十百千万萬億亿两兩]'
const number = `(?<!${numeral})${numeral}{1,12}`

const words = {
  times: createWords(
    `${germanTimes}|${frenchTimes}|${spanishTimes}`,
    `${number}(?:[年月日号號點点时時]|년|월|일(?![가-힣])|시(?![가-힣]))|[一二三四五六日月火水木金土]曜|(?:星期|礼拜|禮拜|周|週)[一二三四五六日天末]|[월화수목금토일]요일|[昨今明][天日]|[上下去今明来來先]个?[周週月年]|生日|期限|어제|오늘|내일`,
  ),
  /** One sign alone is a part of many words. */
  figures: createWords(
    'zwei|drei|zwölf|deux|trois|douze|dos|tres|doce',
    `(?<!${numeral})[〇零一二三四五六七八九十百千万萬億亿两兩]{2,12}|${number}(?=[元円圆岁歳人个個条名本回次])`,
  ),
  first_person: createWords(
    'ich|mir|mich|mein(?:e[mnrs]?)?|wir|uns|unser(?:e[mnrs]?)?|je|moi|mon|mes|nous|notre|nos|yo|mi|mis|nosotr[oa]s|nuestr[oa]s?',
    '我们?|我們|私|僕|俺|저는|제가|나는|내가|우리',
  ),
  decision: createWords(
    'beschlossen|entschieden|entscheidung|vereinbart|décidé|décision|choisi|decidido|decidimos|decisión|acordado',
    '决定|決定|決め|选择|選び|결정|하기로',
  ),
  preference: createWords(
    'mögen|liebe|liebt|hasse|hasst|lieber|bevorzug(?:e|t|en)|vertrage|verträgt|allergisch|allergien?|aimes?|adore|déteste|préfère|allergiques?|gustan?|encanta|odi[oa]|prefier[oe]|al[eé]rgi(?:as?|c[oa]s?)',
    '喜欢|喜歡|讨厌|討厭|过敏|過敏|不吃|爱吃|好き|嫌い|苦手|アレルギー|좋아|싫어|알레르기',
  ),
  wish: createWords(
    'ich (?:brauche|will|möchte|mag)|ich hätte gern|je (?:veux|voudrais|préfère)|j.ai besoin|quiero|quisiera|necesito',
    '我(?:想要|要|需要|希望)|てほしい|が必要|원해|필요해',
  ),
  correction: createWords(
    'statt|stattdessen|nicht mehr|doch nicht|verschoben|geändert|changement|finalement|remplacé|repoussé|ya no|en vez de|cambi(?:amos|ado)',
    '改成|改为|改為|改到|不再|推迟|换成|変更|変わり|ではなく|바뀌|변경',
  ),
  outcome: createWords(
    'weil|wegen|deshalb|ursache|ausgefallen|fehlgeschlagen|behoben|parce que?|à cause de|en panne|échoué|réparé|porque|debido a|por eso|falló|causa|arreglad[oa]|потому что|из-за|причина',
    '因为|因為|所以|原因|故障|失败|失敗|修好|ために?、|原因|때문|고장|실패',
  ),
} as const

/** At the beginning of a text. */
export const greetingElsewhere =
  /^[^\p{L}]*(?:guten? (?:morgen|tag|abend|nacht)|hallo|moin|servus|danke|vielen dank|gern geschehen|tschüss|bis (?:bald|dann|später)|schöne[ns]? (?:abend|tag|wochenende)|alles klar|genau|klar|entschuldigung|entschuldige|bonjour|bonsoir|bonne (?:soirée|nuit|journée)|salut|merci|de rien|à (?:bientôt|demain|plus)|d'accord|désolé|hola|buen[oa]s (?:días|tardes|noches)|gracias|muchas gracias|de nada|hasta (?:luego|pronto|mañana)|vale|claro|genial|perdona|perdón|oi|olá|bo[am] (?:dia|tarde|noite)|(?:muito )?obrigad[oa]|até (?:logo|breve)|desculpe?|ciao|buongiorno|buonasera|grazie|prego|scusa|привет|здравствуйте|добр(?:ый|ое) (?:день|утро|вечер)|спасибо|большое спасибо|пока|хорошо|извини(?:те)?|merhaba|günaydın|teşekkürler|çok teşekkürler|tamam|ja(?:ja)+)(?!\p{L})|^[^\p{L}]*(?:你好|您好|大家好|早上好|早安|晚安|晚上好|谢谢|謝謝|非常感谢|再见|再見|好的|没问题|不客气|对不起|不好意思|哈哈|太好了|是的|おはよう|こんにちは|こんばんは|ありがとう|すみません|ごめん|はい|わかりました|了解|お疲れ|안녕|감사|고마워|네[, ]|좋아요|미안|죄송|알겠)/iu

type Chosen = Readonly<Record<keyof typeof words, RegExp>>

function choose(script: keyof Words): Chosen {
  return Object.fromEntries(Object.entries(words).map(([part, each]) => [part, each[script]])) as Chosen
}
const latin = choose('latin')
const unspaced = choose('unspaced')

/** A text with letters of a script without spaces is read by these alone: it is rarely in two languages. */
export function chooseOtherWords(text: string): Chosen {
  return holdsUnspaced(text) ? unspaced : latin
}
