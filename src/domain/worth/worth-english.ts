/** The English words that worth-parts.ts counts. Those of other languages are in worth-languages.ts. */

export const figures =
  /(?<![\w.-])[$€£]?\d+(?:[.,:]\d+)*%?(?![\w-])|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|thousand|half|twice|once|first|second|third)\b/g

export const times =
  /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:yesterday|today|tonight|tomorrow|ago|weekends?|noon|midnight|summer|winter|spring|autumn|birthday|anniversary|deadline)\b|\b(?:last|next|this|past|every|each|few|couple of|in a|for a) (?:night|morning|evening|afternoon|day|week|month|year|weekend|summer|winter|spring|fall|days|weeks|months|years)\b|\b\d{1,2}(?::\d\d)?\s?(?:am|pm)\b|\b(?:19|20)\d\d\b|\b\d{4}-\d\d-\d\d\b/g

export const people =
  /\b(?:mom|mum|mother|dad|father|parents?|sister|brother|son|daughter|kids?|children|wife|husband|partner|girlfriend|boyfriend|friends?|family|grand(?:ma|pa|mother|father)|aunt|uncle|cousin|dog|cat|pets?|puppy|kitten|colleagues?|boss|neighbou?rs?|teacher|doctor|dr|mrs|mr)\b/g

export const firstPerson = /\b(?:i|my|me|mine|myself|we|our|us)\b/g

export const decision =
  /\b(?:decided|decision|chose|agreed|settled on|going with|picked|signed up|joined|started|opened|bought|adopted|finished|launched|won|quit|applied|accepted|booked|planning|plan to|going to|gonna|i'll|we'll|looking forward|thinking (?:of|about)|hoping to|will (?:use|go|start|take|move))\b/g

export const preference =
  /\b(?:prefer|prefers|favou?rite|love|loves|like to|enjoy|enjoys|hate|hates|dislike|can't stand|allerg(?:ic|y|ies)|intoleran(?:t|ce)|vegetarian|vegan|fan of|rather (?:not|have)|passion(?:ate)?)\b/g

/** What a person needs, wants or finds unpleasant, and what it sets or turns on: an assistant should respect it later. */
export const wish =
  /\b(?:i|user) (?:needs?|wants?|prefers?|likes?)\b|\bi'd (?:like|rather|prefer)\b|\btoo (?!many|much|long|late|few|bad|well|far|often|soon)[a-z]+(?<!ly)\b|\b(?:un)?comfortable\b|\bannoy(?:s|ing)\b|\bdistract(?:s|ing)\b|\bbothers me\b|\bset (?:it|the|my|to)\b|\bturn(?:ed)? (?:it |the (?:\w+ ){1,3})?(?:on|off|up|down)\b|\blet me (?:set|turn|adjust)\b|\bi only\b|\bi don't (?:like|want|need)\b/g

export const correction =
  /\b(?:actually|instead|no longer|not anymore|any more|changed|switched|moved to|correction|in fact|used to|not .{1,20} but|scrap that|shifted|replaced)\b/g

export const outcome =
  /\b(?:because|failed|fails|broke|broken|fixed|due to|since then|turned out|turns out|caused|the reason|so that|worked|resolved|succeeded|as a result|led to|after)\b/g

export const greeting =
  /^\W*(?:hey|hi|hello|good (?:morning|evening|afternoon|night)|morning|thanks|thank you|thx|bye|see you|take care|talk to you|ok|okay|sure|sounds (?:good|great|like)|great|wow|awesome|cool|nice|glad|congrats|congratulations|absolutely|definitely|no problem|you're welcome|yeah|yes|yep|no worries|got it|will do|done|understood|noted|that's (?:great|awesome|amazing|cool|wonderful|so)|haha|good luck|agreed|exactly|right|same here|for sure|you too|me too|sorry|so true|totally)\b/i
