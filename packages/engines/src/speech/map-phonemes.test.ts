import { expect, test } from 'vitest';
import { mapPhonemes } from './phonemes.ts';

const TIE = '\u200d';

test.each([
  ['en-us', `ðə wˈɔːɾɚɹ ɪnðə bˈɑːɾə${TIE}l`, 'ðə wˈɔTəɹ ɪnðə bˈɑTᵊl'],
  ['en-us', `d${TIE}ʒˈo${TIE}ʊk  nˈa${TIE}ɪn bˈɔ${TIE}ɪ t${TIE}ʃˈɜːt${TIE}ʃ`, 'ʤˈOk nˈIn bˈY ʧˈɜɹʧ'],
  ['en-us', `fˈoː${TIE}ɹɾi ɐbˈa${TIE}ʊt`, 'fˈɔɹTi əbˈWt'],
  ['en-gb', `ðˈe${TIE}ə hˈi${TIE}ə hˈə${TIE}ʊm nˈɜːs`, 'ðˈɛː hˈɪə hˈQm nˈɜːs'],
  ['es', `el pˈero mˈut${TIE}ʃo`, 'el pˈero mˈuʧo'],
  ['fr-fr', 'bɔ̃ʒˈuʁ lə- ʃˈa', 'bɔ̃ʒˈuʁ lə ʃˈa'],
  ['es', `ˈun (en)wˈiːkɛnd(es) lˈaɾɡo`, 'ˈun wˈiːkɛnd lˈaɾɡo'],
] as const)('%s: %s', (speech, ipa, phonemes) => {
  expect(mapPhonemes({ ipa, speech })).toBe(phonemes);
});
