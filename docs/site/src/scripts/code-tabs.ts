/** The language that the reader chose last, on any page. */
const STORED = 'atelier-language';

/** Blocks of code in several languages, one of which is shown. Without this script, all of them are. */
class CodeTabs extends HTMLElement {
  connectedCallback(): void {
    const tabs = [...this.querySelectorAll<HTMLButtonElement>('[role=tab]')];
    for (const [n, tab] of tabs.entries()) {
      tab.addEventListener('click', () => chooseLanguage(tab.dataset.language ?? ''));
      tab.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step === undefined) return;
        const next = tabs[(n + step + tabs.length) % tabs.length] as HTMLButtonElement;
        next.focus();
        chooseLanguage(next.dataset.language ?? '');
      });
    }
    this.show(localStorage.getItem(STORED) ?? '');
  }

  show(language: string): void {
    const tabs = [...this.querySelectorAll<HTMLElement>('[role=tab]')];
    const wanted = tabs.some((tab) => tab.dataset.language === language) ? language : tabs[0]?.dataset.language;
    for (const tab of tabs) {
      const isChosen = tab.dataset.language === wanted;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
    for (const panel of this.querySelectorAll<HTMLElement>('[role=tabpanel]')) {
      panel.hidden = panel.dataset.language !== wanted;
    }
  }
}

function chooseLanguage(language: string): void {
  localStorage.setItem(STORED, language);
  for (const group of document.querySelectorAll<CodeTabs>('code-tabs')) group.show(language);
}

customElements.define('code-tabs', CodeTabs);
