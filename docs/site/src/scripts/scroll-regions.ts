/** Wide tables and diagrams scroll sideways. Those that do can be focused, so that the arrow keys scroll them. */
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const element = target as HTMLElement;
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  }
});

for (const element of document.querySelectorAll('.sl-markdown-content :is(table, p:has(> img[src$=".svg"]))')) {
  observer.observe(element);
}
