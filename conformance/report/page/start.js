// SPDX-License-Identifier: BSD-3-Clause
// Draws the page.

function drawNavigation() {
  const bar = document.querySelector('nav');
  for (const section of document.querySelectorAll('main > section:not([hidden])')) {
    const link = element('a', {href: '#' + section.id}, section.dataset.name || section.querySelector('h2').textContent);
    // The address is the choice's: going to a part of the page leaves it as it is.
    link.addEventListener('click', (event) => {
      event.preventDefault();
      section.scrollIntoView();
    });
    bar.append(link);
  }
  bar.hidden = false;
}

const showLists = () => document.getElementById(choice().point ? 'points-title' : 'results').scrollIntoView();

function draw() {
  document.querySelector('main').hidden = false;
  drawWaivers();
  drawStack();
  drawClauses();
  drawPicture();
  drawFindings();
  makeFilters();
  drawLists();
  drawKernelLog();
  drawFooter();
  drawNavigation();
  addEventListener('hashchange', () => {
    drawLists();
    if (isChoice() && !wasChosenQuietly()) showLists();
  });
  if (isChoice()) showLists();
  document.documentElement.dataset.ready = 'yes';
}

draw();
