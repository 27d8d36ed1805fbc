#!/usr/bin/env python3
"""Opens HTML reports in a headless Chromium, as a person with a keyboard or a screen reader meets them.

    browser.py FILE...                 checks
    browser.py --shots FOLDER FILE...  also takes screenshots, light and dark

Exit code 77 without Chromium (Debian: chromium) or without the Python package playwright.
"""
import shutil
import sys
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None
if not CHROMIUM or not sync_playwright:
    print("skipped: no Chromium, or no playwright to steer it with (pip install playwright)")
    sys.exit(77)

CONTRAST = """() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => { const [r, g, b] = parts(colour).slice(0, 3).map(v => { v /= 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = element => { for (; element; element = element.parentElement) {
    const colour = getComputedStyle(element).backgroundColor; if (parts(colour)[3] !== 0) return colour; } return 'rgb(255,255,255)'; };
  const low = [];
  for (const element of document.querySelectorAll('h1,h2,p,a,td,th,caption,figcaption,summary,footer,.bad,.good,code')) {
    if (!element.textContent.trim() || element.className === 'skip') continue;
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) low.push(element.tagName + '.' + element.className + ' ' + ((a + 0.05) / (b + 0.05)).toFixed(2));
  }
  return [...new Set(low)];
}"""


def roles(page):
    """(role, name) of everything that assistive technology sees."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    return [(node.get("role", {}).get("value"), node.get("name", {}).get("value", "")) for node in tree if not node["ignored"]]


def check_page(page, errors):
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    if background in ("rgba(0, 0, 0, 0)", ""):
        errors.append("the page's policy keeps its own style out")
    seen = roles(page)
    counted = {role: sum(1 for one, _ in seen if one == role) for role, _ in seen}
    for role, least in (("table", 1), ("columnheader", 5), ("rowheader", 1), ("heading", 2), ("main", 1), ("banner", 1)):
        if counted.get(role, 0) < least:
            errors.append(f"{counted.get(role, 0)} of role {role}, at least {least} expected")
    pictures = page.locator("figure svg").count()
    if sum(1 for role, name in seen if role in ("img", "image") and name) < pictures:
        errors.append("a picture without a name")
    errors += [f"contrast below 4.5: {what}" for what in page.evaluate(CONTRAST)]
    for width in (360, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            errors.append(f"at {width} pixels the page is {wide} wide")


def check_keyboard(page, errors):
    page.keyboard.press("Tab")
    if page.evaluate("document.activeElement.className") != "skip":
        errors.append("the first stop is not the link past the head")
    page.keyboard.press("Enter")
    if not page.url.endswith("#kernels"):
        errors.append("the link past the head leads nowhere")
    stops, wanted = 0, page.locator("a,summary,[tabindex='0']").count()
    seen = set()
    page.evaluate("document.activeElement.blur()")
    page.goto(page.url.split("#")[0])
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        key = page.evaluate("[...document.querySelectorAll('*')].indexOf(document.activeElement)")
        if key in seen:
            break
        seen.add(key)
        stops += page.evaluate("document.activeElement.tagName !== 'BODY'")
    # Cells of tables in closed details come when these are opened.
    closed = page.locator("details:not([open]) a, details:not([open]) [tabindex='0']").count()
    if stops < wanted - closed:
        errors.append(f"{stops} of {wanted - closed} stops are reached by Tab")
    summary = page.locator("summary").first
    if summary.count():
        summary.focus()
        page.keyboard.press("Enter")
        if page.locator("details[open]").count() != 1:
            errors.append("Enter does not open the tables")
    link = page.locator("tbody a").first
    if link.count():
        link.focus()
        page.keyboard.press("Enter")
        target = page.url.split("#")[-1]
        if not page.evaluate("id => document.getElementById(id).getBoundingClientRect().top < innerHeight", target):
            errors.append("a link of the table does not bring its kernel into view")


def main():
    arguments = sys.argv[1:]
    shots = Path(arguments[1]) if arguments[:1] == ["--shots"] else None
    files = [Path(name).resolve() for name in (arguments[2:] if shots else arguments)]
    failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for file in files:
            errors = []
            for scheme in ("light", "dark"):
                context = browser.new_context(color_scheme=scheme, offline=True, viewport={"width": 1400, "height": 900})
                page = context.new_page()
                page.on("console", lambda message: errors.append(f"console: {message.text}"))
                page.on("pageerror", lambda error: errors.append(f"error: {error}"))
                requests = []
                page.on("request", lambda request: requests.append(request.url))
                page.goto(file.as_uri())
                if shots:
                    page.screenshot(path=str(shots / f"{file.stem}-{scheme}.png"), full_page=True)
                check_page(page, errors)
                check_keyboard(page, errors)
                errors += [f"asks for {url}" for url in requests if url.split("#")[0] != file.as_uri()]
                context.close()
            for error in dict.fromkeys(errors):
                print(f"{file.name}: {error}")
            failed += bool(errors)
        browser.close()
    print(f"{len(files)} pages, {failed} with faults")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
