#!/usr/bin/env python3
"""The page of a trace in a browser: what it shows at chosen steps, every way to move, and how it looks to eyes and to screen readers.

    test_page.py MAKE_PAGE [unittest arguments]"""
import itertools

import model
import page

TILE_A = [[0, 0], [0, 1], [1, 0], [1, 1]]
OF_C = [[0, 2], [0, 3], [1, 2], [1, 3]]


class Tutorial(page.Case):
    """2×6×4 by tiles of 2×2, C[0][3] followed: 1·4 + 2·10 + 3·16 + 4·22."""

    def setUp(self):
        super().setUp()
        self.tutorial()

    def test_first(self):
        s = self.state()
        self.assertEqual((s["position"], s["slider"], s["headline"], s["followed"]), ("Step 1 of 11", "1", "Load the first tiles", "C[0][3]"))
        self.assertEqual(s["said"], "Step 1 of 11: Load the first tiles")
        self.assertIn("copy a 2×2 tile of A (rows 0–1, k = 0–1) and a 2×2 tile of B (k = 0–1, columns 2–3)", s["story"])
        self.assertEqual([s["marked"][x]["tile"] for x in "abc"], [TILE_A, OF_C, OF_C])
        self.assertEqual(s["marked"]["a"]["line"], [[0, j] for j in range(4)])
        self.assertEqual(s["marked"]["b"]["line"], [[i, 3] for i in range(4)])
        self.assertEqual(s["values"]["tile_a"], {"0,0": "1", "0,1": "2", "1,0": "5", "1,1": "6"})
        self.assertEqual(s["values"]["tile_b"], {"0,0": "3", "0,1": "4", "1,0": "9", "1,1": "10"})
        self.assertEqual((s["terms"], s["waiting"], set(s["values"]["sums"].values())), ([], 4, {"0"}))
        self.assertEqual({s["values"]["c"]["%d,%d" % tuple(ij)] for ij in OF_C}, {"·"})
        self.assertEqual(s["values"]["c"]["1,5"], "420")
        self.assertEqual(s["disabled"], ["first", "back"])
        self.assertEqual(s["watch"][1], ["C[0][3]", "3, 0", "1, 0", "1, 0", "2, 0", "copies", "0"])

    def test_middle(self):
        s = self.step(4)
        self.assertEqual((s["position"], s["headline"]), ("Step 4 of 11", "k = 1: add one product"))
        self.assertIn("C[0][3]: 4 + 2 · 10 = 24.", s["story"])
        self.assertEqual((s["terms"], s["partials"], s["waiting"]), (["1 · 4", "2 · 10"], ["4", "24"], 2))
        self.assertEqual(s["values"]["sums"], {"0,2": "21", "0,3": "24", "1,2": "69", "1,3": "80"})
        self.assertEqual((s["marked"]["tile_a"]["now"], s["marked"]["tile_b"]["now"]), ([[0, 1]], [[1, 1]]))
        self.assertEqual((s["marked"]["a"]["source"], s["marked"]["b"]["source"]), ([[0, 1]], [[1, 3]]))
        self.assertEqual((s["marked"]["sums"]["me"], s["marked"]["c"]["me"]), ([[0, 3]], [[0, 3]]))
        self.assertEqual([row[5:] for row in s["watch"]], [["+ 2 · 9", "21"], ["+ 2 · 10", "24"], ["+ 6 · 9", "69"], ["+ 6 · 10", "80"]])
        s = self.step(8)
        self.assertEqual([s["marked"][x]["tile"] for x in "ab"], [[[i, j + 2] for i, j in TILE_A], [[i + 2, j] for i, j in OF_C]])
        self.assertEqual((s["total"], s["partials"]), ("The sum of C[0][3]: 72", ["4", "24", "72"]))

    def test_barriers(self):
        reasons = ["has not filled yet", "the next load overwrites both shared arrays", "has not filled yet", "ends with the same barrier"]
        for number, reason in zip([2, 5, 7, 10], reasons):
            s = self.step(number)
            self.assertIn("Barrier", s["headline"])
            self.assertIn(reason, s["story"])
            self.assertEqual({row[5] for row in s["watch"]}, {"waits"})

    def test_last(self):
        s = self.step(11)
        self.assertEqual((s["position"], s["total"], s["disabled"]), ("Step 11 of 11", "The sum of C[0][3]: 160", ["next", "last"]))
        self.assertEqual((s["terms"], s["partials"]), (["1 · 4", "2 · 10", "3 · 16", "4 · 22"], ["4", "24", "72", "160"]))
        self.assertIn("C[0][3] = 160.", s["story"])
        self.assertEqual([s["values"]["c"]["0,%d" % j] for j in range(6)], ["130", "140", "150", "160", "170", "180"])
        self.assertNotIn("tile", s["marked"]["a"])
        self.assertEqual([row[5] for row in s["watch"]], ["writes 150", "writes 160", "writes 342", "writes 368"])

    def test_there_and_back(self):
        forward = [self.state()]
        for _ in range(10):
            forward.append(self.click("#next"))
        self.assertEqual([s["slider"] for s in forward], [str(i) for i in range(1, 12)])
        self.assertEqual(self.click("#next"), forward[-1])
        for s in forward[-2::-1]:
            self.assertEqual(self.click("#back"), s)
        self.assertEqual(self.click("#back"), forward[0])
        self.assertEqual(self.click("#last"), forward[-1])
        self.assertEqual(self.click("#first"), forward[0])

    def test_nothing_jumps(self):
        where = "['stage', 'cross', 'watch'].map(c => (r => [r.x, r.y, r.width, r.height])(document.querySelector('.' + c).getBoundingClientRect()))"
        first = self.browser.js(where)
        for number in range(2, 12):
            self.step(number)
            self.assertEqual(self.browser.js(where), first, number)

    def test_keyboard(self):
        place = lambda *keys: self.press(*keys)["slider"]
        self.assertEqual([place("Right"), place("Right"), place("Left"), place("End"), place("Right"), place("Home"), place("Left")],
                         ["2", "3", "2", "11", "11", "1", "1"])
        self.browser.js("document.getElementById('slider').focus()")
        self.assertEqual([place("Right"), place("End"), place("Left"), place("Home")], ["2", "11", "10", "1"])
        # Tab meets the link to the steps, then every control in reading order; the focus is always to be seen.
        self.tutorial()
        self.assertEqual(self.tab(7), ["skip", "first", "back", "next", "last", "follow", "slider"])
        self.browser.js("document.getElementById('next').focus()")
        self.assertEqual([place("Enter"), place("Enter")], ["2", "3"])
        self.assertEqual(place("End"), "11")
        self.assertEqual(self.browser.js("document.activeElement.id"), "next")

    def test_follow(self):
        self.step(4)
        s = self.click("#c tbody tr:nth-child(2) td:nth-child(4) button")
        self.assertEqual((s["followed"], s["total"], s["slider"]), ("C[1][2]", "The sum of C[1][2]: 69", "4"))
        self.assertEqual((s["terms"], s["partials"]), (["5 · 3", "6 · 9"], ["15", "69"]))
        self.assertEqual((s["marked"]["a"]["source"], s["marked"]["b"]["source"]), ([[1, 1]], [[1, 2]]))
        self.assertEqual(self.browser.js("[...document.querySelectorAll('#c [aria-pressed=true]')].map(b => b.getAttribute('aria-label'))"),
                         ["C[1][2], not written yet"])
        self.assertEqual(self.press("Right", "Shift")["followed"], "C[1][3]")
        self.assertEqual(self.press("Right", "Shift")["followed"], "C[1][3]")
        self.assertEqual(self.press("Up", "Shift")["followed"], "C[0][3]")
        self.assertEqual(self.press("Left", "Shift")["followed"], "C[0][2]")
        s = self.click("#watch tbody tr:nth-child(4) button")
        self.assertEqual((s["followed"], s["slider"]), ("C[1][3]", "4"))
        self.browser.js("(f => { f.value = 1; f.dispatchEvent(new Event('change', {bubbles: true})); })(document.getElementById('follow'))")
        self.assertEqual(self.press("End")["total"], "The sum of C[0][3]: 160")

    def test_screen_reader(self):
        self.step(4)
        live = self.browser.js("(n => [n.getAttribute('aria-live'), n.getAttribute('aria-atomic'), n.textContent])(document.getElementById('live'))")
        self.assertEqual(live[:2], ["polite", "true"])
        self.assertIn("k = 1: add one product", live[2])
        self.assertIn("4 + 2 · 10 = 24", live[2])
        tree = self.assert_accessible()
        for wanted in [("button", "First step"), ("button", "Back"), ("button", "Next"), ("button", "Last step"), ("slider", "Step"), ("combobox", "Follow"),
                       ("table", "A 2×4"), ("table", "B 4×6"), ("table", "C 2×6"), ("button", "C[0][3], sum 24"), ("status", "This step"), ("rowheader", "C[0][3]")]:
            self.assertTrue(wanted in tree, wanted)

    def test_one_file(self):
        self.assert_one_file(self.tutorial())


class Looks(page.Case):
    def test_dark_and_light(self):
        self.tutorial()
        self.step(4)
        for scheme in ["light", "dark"]:
            self.browser.look(scheme)
            self.assert_scheme(scheme)
            for selector in ["#story", "#facts", "#next", "#a td.line", "#a td.source", "#tile_a td.now", "#tile_b td.now", "#sums td.me button", "#c .faint",
                             "#terms .now .term", "#terms .todo .term", "#terms .partial", "#strip .current", "#watch td", ".matrix th", ".legend li"]:
                self.assertGreaterEqual(self.contrast(selector), 4.5, (scheme, selector))
            # Marks do not rest on colour alone.
            self.assertIn("underline", self.browser.js("getComputedStyle(document.querySelector('#tile_a td.now')).textDecorationLine"))
            self.assertEqual(self.browser.js("getComputedStyle(document.querySelector('#c td.me'), '::before').content")[:3], '"◆"')

    def test_phone(self):
        for trace in [model.trace(2, 6, 4, tile=2, at=(0, 3)), model.trace(40, 40, 40, tile=8, at=(20, 30))]:
            self.browser.look(width=360, height=740)
            self.draw(trace)
            for number in [1, 4, len(trace["steps"])]:
                self.step(number)
                self.assert_width(360)
        # What does not fit scrolls in a box of its own, to where the step is.
        s = self.step(10 + 8)
        self.assertTrue(self.browser.js("(n => n.scrollWidth > n.clientWidth)(document.querySelector('#a .well'))"))
        within = """(() => { const c = document.querySelector('#a td.source').getBoundingClientRect(), b = document.querySelector('#a .well').getBoundingClientRect();
                     return c.left >= b.left && c.right <= b.right && c.top >= b.top && c.bottom <= b.bottom; })()"""
        self.assertTrue(self.browser.js(within), s["headline"])

    def test_print(self):
        self.draw(model.trace(40, 40, 40, tile=8, at=(20, 30)))
        self.browser.look("dark", media="print")
        self.assertEqual(self.browser.js("getComputedStyle(document.querySelector('.buttons').parentNode).display"), "none")
        self.assertEqual(self.browser.js("getComputedStyle(document.querySelector('#a .well')).overflow"), "visible")
        self.assert_scheme("light")


class Others(page.Case):
    def test_ragged(self):
        trace = model.trace(5, 7, 3, tile=4, at=(4, 6), init="signed")
        self.draw(trace)
        s = self.state()
        self.assertIn("filled with 0 and add nothing", s["story"])
        self.assertEqual(s["marked"]["tile_a"]["pad"], [[i, j] for i, j in itertools.product(range(4), range(4)) if i > 0 or j > 2])
        self.assertEqual(s["marked"]["c"]["tile"], [[4, 4], [4, 5], [4, 6]])
        self.assertIn("k = 3 lies beyond the last k", self.step(6)["story"])
        s = self.step(8)
        self.assertEqual(s["values"]["c"]["4,6"], str(trace["c"][4][6]).replace("-", "−"))
        self.assertIn("13 invocations of 16 lie beyond the edge of C", s["story"])

    def test_untiled(self):
        trace = model.trace(3, 5, 4, at=(1, 4), workgroup=8)
        self.draw(trace)
        s = self.step(2)
        self.assertEqual((s["followed"], len(s["watch"]), s["partials"][-1]), ("C[1][4]", 8, str(6 * 10 + 5 * 5)))
        self.assertIn("Both come from global memory", s["story"])
        self.assertEqual((s["marked"]["a"]["now"], s["marked"]["b"]["now"]), ([[1, 1]], [[1, 4]]))
        self.assertEqual(s["marked"]["c"]["tile"], [[1, 3], [1, 4]] + [[2, j] for j in range(5)])
        self.assertNotIn("tile_a", s["values"])
        s = self.step(5)
        self.assertEqual(s["values"]["c"]["1,4"], str(trace["c"][1][4]))

    def test_every_sum(self):
        trace = model.trace(6, 5, 7, tile=3, at=(5, 3), init="signed")
        self.draw(trace)
        for number, step in enumerate(trace["steps"], 1):
            s = self.step(number)
            if step["kind"] == "sum":
                self.assertEqual([row[6] for row in s["watch"]], [str(x).replace("-", "−") for x in step["sums"]])

    def test_hostile_names(self):
        name = "</script><script>document.title = 'broken'</script><!-- <img src=x onerror=\"document.title = 'broken'\"> & &lt; \u2028 ]]>"
        self.assertEqual(self.draw(model.trace(2, 2, 2, tile=2, device=name)).count("<script"), 2)
        self.assertEqual(self.browser.js("[document.querySelectorAll('img').length, document.querySelectorAll('script').length]"), [0, 2])
        self.assertNotIn("broken", self.browser.js("document.title"))
        self.assertIn("Recorded on " + name + " by", self.browser.js("document.getElementById('origin').textContent"))


page.main()
