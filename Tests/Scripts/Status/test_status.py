"""The page at /status, tested with a browser."""

import json
import re

from programs import ROOT, ask
from server import Load

PICTURES = ROOT / ".build"
WINDOWS = [(1440, 900, "light"), (1440, 900, "dark"), (375, 812, "light"), (375, 812, "dark")]

# The widest element that is wider than the window; elements that scroll by themselves are
# allowed.
OVERFLOW = """
(() => {
  const width = document.documentElement.clientWidth;
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest('.scroll') || element.closest('.hidden')) continue;
    const box = element.getBoundingClientRect();
    if (box.width && (box.right > width + 1 || box.left < -1)) {
      return `${element.tagName}.${element.className} ${element.id}: ${box.left} to ${box.right}`;
    }
  }
  return '';
})()
"""

# Elements with text whose contrast to their background is too low (WCAG 2, 1.4.3).
CONTRAST = """
(() => {
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !element.checkVisibility() || element.closest('.hidden')) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${element.tagName}.${element.className} ${element.textContent.slice(0, 20)} ${ratio.toFixed(2)}`);
  }
  return low.join('; ');
})()
"""

# Elements without a name for assistive programs.
NAMELESS = """
[...document.querySelectorAll('canvas, button, input, section, table, [role]')].filter(e =>
  !e.closest('[hidden]') && !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby')
    || e.labels?.length || e.textContent.trim() || e.getAttribute('role') === 'alert'))
  .map(e => e.outerHTML.slice(0, 80)).join('; ')
"""


def sign_in(page, server, key=None):
    page.go(server.url + "/status")
    page.until("document.getElementById('key')")
    page.run("document.getElementById('key').focus()")
    page.type(key or server.APP_KEY)
    page.press("Enter", 13, "\r")


def text(page, selector):
    return page.run(f"document.querySelector({json.dumps(selector)}).innerText")


def number(page, path):
    """A figure, as the page shows it."""
    return text(page, f'[data-show$=":{path}"] .figure')


def wait_for_figures(page):
    page.until("document.body.dataset.access && !('empty' in document.body.dataset)", "figures")


def test_without_a_key_there_is_a_form_and_a_wrong_key_does_not_help(page, server):
    status, body, headers = ask(server.url + "/status")
    assert status == 401 and b"<form" in body and b"watch-" not in body
    for path in ["/status/events", "/status/positions", "/status/devices"]:
        assert ask(server.url + path)[0] == 401
        assert ask(server.url + path, headers={"X-API-Key": server.KEY})[0] == 403
    page.look(375, 812)
    page.go(server.url + "/status")
    assert page.run("document.activeElement.id") == "key"
    for width, height, scheme in WINDOWS:
        page.look(width, height, scheme)
        assert page.run(OVERFLOW) == ""
        assert page.run(CONTRAST) == ""
    assert page.run(NAMELESS) == ""
    for key in [server.KEY, "<b>wrong</b>"]:
        sign_in(page, server, key)
        page.until("document.getElementById('message').textContent.includes('doesn’t open')")
        assert page.run("document.querySelectorAll('#message b').length") == 0
        assert page.run("document.cookie") == ""
    page.shoot(PICTURES / "status-sign-in.png")
    # Only the browser's messages about the answers' statuses are allowed.
    complaints = [one for one in page.take_complaints() if "status of 40" not in one]
    assert complaints == []


def test_figures_plots_and_positions_are_live(page, server):
    page.look(1440, 900)
    sign_in(page, server)
    wait_for_figures(page)
    assert page.run("document.cookie") == "", "the session must be out of scripts' reach"
    before = number(page, "totals.stored")
    page.take_complaints()
    page.run("""
        window.shifts = [];
        new PerformanceObserver(list => {
          for (const entry of list.getEntries()) if (!entry.hadRecentInput)
            window.shifts.push([entry.value, entry.sources.map(({node}) => node && (node.id || node.outerHTML || node.data).slice(0, 80))]);
        }).observe({ type: 'layout-shift' });
    """)
    with Load(server):
        page.until(f"document.querySelector('[data-show=\"count:totals.stored\"] .figure').textContent !== {json.dumps(before)}")
        page.until("document.getElementById('link').dataset.link === 'live'")
        rates = set()
        for _ in range(40):
            rates.add(number(page, "rates.stored"))
            if len(rates) > 2:
                break
            page.run("new Promise(done => setTimeout(done, 500))")
        assert len(rates) > 2, rates
        page.until("parseFloat(document.querySelector('[data-show=\"rate:rates.requests\"]').innerText) > 1")
        page.until("/\\d/.test(document.querySelector('[data-show=\"time:latency.acknowledgement.minute.p99\"]').innerText)")
        page.until("document.querySelectorAll('#lanes tbody tr').length >= 1")
        page.until("[...document.querySelectorAll('#reasons tbody tr')].some(r => r.innerText.includes('lat_out_of_range'))")
        page.until("[...document.querySelectorAll('#reasons tbody tr')].some(r => r.innerText.includes('type_unknown'))")
        page.until("document.querySelectorAll('#slowest tbody tr').length > 2 && document.querySelector('#slowest').innerText.includes('watch-')")
        page.until("document.getElementById('heard').textContent.includes('watch-')")
        status = ask(server.url + "/ingest", b"{}", {"X-API-Key": "<b>wrong</b>"})[0]
        assert status == 401
        page.until("document.getElementById('refused').textContent.includes('unknown key, /ingest401: ')")
        page.until(f"document.getElementById('map-count').textContent === '{server.DEVICES} devices'")
        assert text(page, "#database b") == "up"
        assert len(text(page, "#sentence")) > 20
        see_the_map(page, server)
        see_the_plots(page)
        page.run("new Promise(done => setTimeout(done, 8000))")
        take_pictures(page)
    assert page.take_complaints() == []
    shifts = page.run("window.shifts")
    assert sum(value for value, nodes in shifts) < 0.02, shifts


def see_the_map(page, server):
    """A device is found with the pointer, and is listed in the table."""
    page.run("document.querySelector('.map details').open = true")
    rows = page.run("[...document.querySelectorAll('#positions tbody tr')].map(r => r.innerText)")
    assert len(rows) == server.DEVICES
    assert all(row.startswith("watch-") and "52." in row and "13." in row for row in rows), rows
    page.run("document.querySelector('.map details').open = false")
    page.run("document.querySelector('.map').scrollIntoView()")
    box = page.run("JSON.stringify(document.querySelector('.frame canvas').getBoundingClientRect())")
    box = json.loads(box)
    found = None
    for row in range(12, 90, 4):
        for column in range(8, 95, 2):
            page.point(box["x"] + box["width"] * column / 100, box["y"] + box["height"] * row / 100)
            found = page.run("[...document.querySelectorAll('.tip:not([hidden])')].map(t => t.innerText)[0]")
            if found:
                break
        if found:
            break
    assert found and found.startswith("watch-") and "52." in found and "±" in found, found
    for move in ["world", "in", "out", "fit"]:
        page.run(f"document.querySelector('[data-move={move}]').click()")
    page.point(1, 1)
    page.run("window.scrollTo(0, 0)")


def see_the_plots(page):
    """The plots are drawn, and arrow keys read out earlier values."""
    page.run("document.querySelector('.plot canvas').focus()")
    now = page.run("document.activeElement.getAttribute('aria-label')")
    assert now.startswith("Readings per second, now: stored "), now
    for _ in range(3):
        page.press("ArrowLeft", 37)
    page.until("/ago: stored /.test(document.activeElement.getAttribute('aria-label'))")
    page.run("document.activeElement.blur()")
    drawn = page.run("""
        [...document.querySelectorAll('.plot canvas')].map(canvas => {
          const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
          const colours = new Set();
          for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 250) colours.add(pixels.slice(i, i + 3).join());
          return colours.size;
        })""")
    assert all(count > 3 for count in drawn), drawn


def test_the_plots_show_the_past_at_once(page, server):
    """Points from the time without watchers are shown with the first point, not only later ones."""
    page.go("about:blank")
    with Load(server):
        # Two points of the server's history, five seconds apart.
        page.run("new Promise(done => setTimeout(done, 15000))")
    sign_in(page, server)
    wait_for_figures(page)
    # A second or two after opening, Home reaches further back than that.
    page.run("document.querySelector('.plot canvas').focus()")
    page.press("Home", 36)
    label = page.run("document.activeElement.getAttribute('aria-label')")
    found = re.search(r", (\d+) (s|min|h) ago: stored (\S+)", label)
    assert found, label
    assert found[2] != "s" or int(found[1]) >= 10, label
    stored = set()
    for _ in range(70):
        stored.add(page.run("document.activeElement.getAttribute('aria-label')").split("stored ")[1].split(",")[0])
        page.press("ArrowRight", 39)
    assert any(one.strip("0./s –") for one in stored), stored
    # The page requests this route every few seconds.
    page.until("[...document.querySelectorAll('#routes tbody tr')].some(r =>"
               " r.cells[0].innerText === '/status/positions' && /[mµ]?s$/.test(r.cells[5].innerText.trim()))")
    page.take_complaints()


def take_pictures(page):
    for width, height, scheme in WINDOWS:
        page.look(width, height, scheme, scale=2 if width < 500 else 1, mobile=width < 500)
        page.run("new Promise(done => setTimeout(done, 1500))")
        page.shoot(PICTURES / f"status-{width}-{scheme}.png")
        assert page.run(OVERFLOW) == "", (width, scheme)
        assert page.run(CONTRAST) == "", (width, scheme)
        assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run(NAMELESS) == ""
    page.look(1440, 900)


def test_who_signs_out_is_out(page, server):
    page.look(1440, 900)
    sign_in(page, server)
    wait_for_figures(page)
    page.run("document.getElementById('sign-out').click()")
    page.until("document.getElementById('key')", "the form")
    page.go(server.url + "/status")
    assert page.run("document.getElementById('key') !== null")


def test_the_page_says_that_the_server_is_away_and_goes_on_when_it_is_back(page, server):
    page.look(1440, 900)
    sign_in(page, server)
    wait_for_figures(page)
    # An open stream must not delay the stop, which may take ten minutes here.
    server.stop()
    page.until("document.getElementById('link').dataset.link === 'away'")
    page.until("document.getElementById('link').innerText.includes('figures are')")
    assert page.run("'stale' in document.body.dataset")
    page.take_complaints()
    server.start()
    # Sessions are kept only in memory.
    page.until("document.getElementById('key')", "the form")
    sign_in(page, server)
    wait_for_figures(page)
    page.until("document.getElementById('link').dataset.link === 'live'")


def test_before_the_first_report_the_page_says_so(page, server):
    """With a stream that sends nothing."""
    page.look(375, 812, mobile=True)
    sign_in(page, server)
    wait_for_figures(page)
    page.tell("Network.setBlockedURLs", urls=["*/status/events", "*/status/positions"])
    page.tell("Page.reload")
    page.until("document.getElementById('link').dataset.link === 'away'")
    assert text(page, "#level") == "No data yet"
    assert text(page, "#map-note") == "No data yet"
    assert page.run(OVERFLOW) == ""
    page.shoot(PICTURES / "status-empty.png")
    page.tell("Network.setBlockedURLs", urls=[])
    wait_for_figures(page)
