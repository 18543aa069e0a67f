// SPDX-License-Identifier: BSD-3-Clause
// Draws the page.

function drawNavigation() {
  const bar = document.querySelector('nav');
  for (const section of document.querySelectorAll('main > section:not([hidden])')) {
    const heading = section.querySelector('h2');
    const link = element('a', {href: '#' + heading.id}, section.dataset.name || heading.textContent);
    bar.append(leadTo(link, heading));
  }
  bar.hidden = false;
  const skip = leadTo(document.querySelector('.skip'), document.getElementById('findings-title'));
  skip.hidden = false;
}

const showLists = () => goTo(document.getElementById(choice().point ? 'points-title' : 'results-title'));

// Escape closes the open details around the focus; in the lists it takes the choice back.
function onEscape(event) {
  if (event.key !== 'Escape' || event.target.matches('input, select')) return;
  const details = event.target.closest('details[open]');
  if (details) {
    details.open = false;
    details.querySelector('summary').focus();
  } else if (isChoice() && event.target.closest('#results')) {
    choose({});
  }
}

// Redraws the lists after a change of the address. The focus follows to them, and back to the link when the choice is
// taken back.
let cameFrom = null;

function onChoice() {
  const left = document.activeElement;
  const quiet = wasChosenQuietly();
  drawLists();
  if (quiet) return;
  if (isChoice()) {
    if (!left.closest('#results')) cameFrom = left;
    showLists();
  } else if (cameFrom && cameFrom.isConnected && cameFrom !== document.body) {
    cameFrom.focus();
    cameFrom = null;
  } else if (!left.isConnected || left.closest('#results')) {
    goTo(document.getElementById('results-title'));
  }
}

function draw() {
  document.querySelector('main').hidden = false;
  drawFindings();
  drawWaivers();
  drawClauses();
  makeFilters();
  drawLists();
  drawFailed();
  drawPicture();
  drawKernelLog();
  drawStack();
  drawFooter();
  drawNavigation();
  addEventListener('hashchange', onChoice);
  addEventListener('keydown', onEscape);
  if (isChoice()) showLists();
  document.documentElement.dataset.ready = 'yes';
}

draw();
