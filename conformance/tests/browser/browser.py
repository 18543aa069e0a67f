# SPDX-License-Identifier: BSD-3-Clause
"""Drives a headless Chromium through its debugging pipe: opens a page, evaluates expressions, records errors."""
import base64
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ('chromium', 'chromium-browser', 'google-chrome')
DEADLINE = 120  # seconds for one answer; a busy machine is slow


class BrowserError(Exception):
    pass


class Browser:
    """A Chromium with its own profile and one tab. It ends with the with-block."""

    def __enter__(self):
        program = next((path for path in map(shutil.which, PROGRAMS) if path), None)
        if program is None:
            raise BrowserError('no Chromium here; run: apt-get install chromium')
        self.profile = tempfile.mkdtemp(prefix='rpmaconf-browser-')
        to_browser, self.out = os.pipe()
        self.answers, from_browser = os.pipe()

        def place():  # the browser reads commands from descriptor 3 and answers on 4
            ends = os.dup(to_browser), os.dup(from_browser)
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.log = open(os.path.join(self.profile, 'log'), 'w+b')
        self.process = subprocess.Popen(
            [program, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic',
             '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
             '--disable-extensions', '--hide-scrollbars', '--user-data-dir=' + self.profile, '--remote-debugging-pipe',
             'about:blank'],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.last, self.session, self.troubles = b'', 0, None, []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')
        return self

    def __exit__(self, *_):
        os.close(self.out)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.answers)
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _message(self):
        until = time.monotonic() + DEADLINE
        while b'\0' not in self.buffer:
            ready = select.select([self.answers], [], [], max(0, until - time.monotonic()))[0]
            more = os.read(self.answers, 1 << 20) if ready else b''
            if not more:
                self.log.seek(0)
                raise BrowserError('Chromium does not answer; it said:\n' + self.log.read().decode(errors='replace'))
            self.buffer += more
        message, self.buffer = self.buffer.split(b'\0', 1)
        message = json.loads(message)
        self._notice(message.get('method'), message.get('params', {}))
        return message

    def _notice(self, method, parameters):
        """Records what a page must not do: throw, break its own policy, load another file."""
        if method == 'Runtime.exceptionThrown':
            self.troubles.append('exception: ' + json.dumps(parameters['exceptionDetails'])[:500])
        if method == 'Log.entryAdded' and parameters['entry']['level'] == 'error':
            self.troubles.append('log: ' + parameters['entry']['text'])
        if method == 'Runtime.consoleAPICalled' and parameters['type'] in ('error', 'assert'):
            self.troubles.append('console: ' + json.dumps(parameters['args'])[:500])
        if method == 'Network.requestWillBeSent' and parameters['request']['url'].split('#')[0] != self.url:
            self.troubles.append('request: ' + parameters['request']['url'][:200])
        if method == 'Page.javascriptDialogOpening':
            self.troubles.append('dialogue: ' + parameters['message'])

    url = 'about:blank'

    def call(self, method, **parameters):
        self.last += 1
        message = {'id': self.last, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.out, json.dumps(message).encode() + b'\0')
        while True:
            answer = self._message()
            if answer.get('id') == self.last:
                if 'error' in answer:
                    raise BrowserError(f'{method}: {answer["error"]}')
                return answer['result']

    def open(self, path, fragment=''):
        """Loads a file, even where only the fragment differs, and waits until it is loaded."""
        self.call('Page.navigate', url='about:blank')
        self.troubles = []
        self.url = 'file://' + os.path.abspath(path)
        self.call('Page.navigate', url=self.url + fragment)
        until = time.monotonic() + DEADLINE
        while self.js('document.readyState !== "complete" || location.protocol !== "file:"'):
            if time.monotonic() > until:
                raise BrowserError(f'{path} does not load')

    def js(self, expression):
        """The value of an expression; for a promise, of its result."""
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise BrowserError(f'{expression}: {result["exceptionDetails"]}')
        return result['result'].get('value')

    def settle(self):
        """Waits until the page has handled its events and is drawn."""
        self.js('new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 0))')

    def look(self, width=1280, height=900, dark=False, scripts=True, media=''):
        """Size, colours, whether scripts run, and the medium ('print'), of the page that is open or opened next."""
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.call('Emulation.setEmulatedMedia', media=media, features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'},
            {'name': 'prefers-reduced-motion', 'value': 'reduce'}])
        self.call('Emulation.setScriptExecutionDisabled', value=not scripts)

    KEYS = {'Tab': 9, 'Enter': 13, 'Escape': 27, 'End': 35, 'Home': 36, 'ArrowLeft': 37, 'ArrowRight': 39}

    def press(self, key):
        for kind in ('keyDown', 'keyUp'):
            more = {'text': '\r'} if key == 'Enter' and kind == 'keyDown' else {}
            self.call('Input.dispatchKeyEvent', type=kind, key=key, code=key, windowsVirtualKeyCode=self.KEYS[key], **more)

    def pages_on_paper(self):
        pdf = base64.b64decode(self.call('Page.printToPDF', paperWidth=8.27, paperHeight=11.69)['data'])
        return len(re.findall(rb'/Type\s*/Page\b', pdf))

    def shoot(self, file, whole=False):
        data = self.call('Page.captureScreenshot', captureBeyondViewport=whole)['data']
        with open(file, 'wb') as image:
            image.write(base64.b64decode(data))
