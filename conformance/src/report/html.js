(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("data").textContent);
  var form = document.getElementById("filter");
  var words = document.getElementById("words");
  var shown = document.getElementById("shown");
  var instances = [], cases = [];
  document.body.classList.add("scripted");

  function each(of, act) { Array.prototype.forEach.call(of, act); }
  function text(number) { return data.texts[number]; }

  // An element; what is null of its content is left out.
  function make(name, attributes) {
    var element = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    each(Array.prototype.slice.call(arguments, 2), function (child) {
      each([].concat(child), function (one) { if (one !== null && one !== undefined) { element.append(one); } });
    });
    return element;
  }
  function sign(verdict) { return make("i", { "aria-hidden": "true" }, verdict[2]); }
  function badge(verdict) { return make("span", { "class": "badge " + verdict[0] }, sign(verdict), " " + verdict[1]); }
  function spent(microseconds) {
    return microseconds < 1e3 ? microseconds + " us" : microseconds < 1e6 ? (microseconds / 1e3).toFixed(1) + " ms" : (microseconds / 1e6).toFixed(2) + " s";
  }
  // Text with what is in brackets marked.
  function marked(line) {
    return line.split(/(\[[^\]]*\]?)/).map(function (part) { return part[0] === "[" ? make("mark", {}, part.replace(/[[\]]/g, " ").trim()) : part; })
      .reduce(function (all, part) { return all.concat(all.length && typeof part !== "string" ? [" ", part, " "] : [part]); }, []);
  }

  function term(name, lines, code) {
    return lines.length ? [make("dt", {}, name)].concat(lines.map(function (line) { return make("dd", {}, code ? make("code", {}, line) : line); })) : [];
  }

  // What is said of an instance.
  function details(one) {
    var it = one.details, of = one.of;
    if (!it) {
      var why = one.verdict[0] === "pass" ? "It did what is demanded: " + of.covers.join(", ") + "." : "There is no more of it in this page; the reports as JSON and JUnit have it.";
      return make("p", { "class": "none" }, why);
    }
    var list = make("dl", {},
      term("Demanded", of.demanded.map(function (number, at) { return text(number) + " (" + of.covers[at] + ")"; })),
      term("Why", it.why === undefined ? [] : [text(it.why)]),
      it.see ? [make("dt", {}, "See"), make("dd", {}, /^https?:/.test(it.see) ? make("a", { href: it.see, rel: "noreferrer" }, it.see) : it.see)] : [],
      term("Sent", (it.sent || []).map(text), true),
      term("Accepted", (it.accepted || []).map(text), true),
      term("Came", (it.came || []).map(text), true));
    if (it.difference) {
      var rows = it.difference[1].map(function (field) {
        return make("tr", { "class": field[3] ? "differs" : "" }, make("th", { scope: "row" }, text(field[0])),
          make("td", {}, make("code", {}, text(field[1]))), make("td", {}, make("code", {}, text(field[2]))));
      });
      if (rows.length) {
        list.append(make("dt", {}, "Fields"), make("dd", {}, make("table", { "class": "fields" },
          make("tr", {}, make("th"), make("th", { scope: "col" }, "expected"), make("th", { scope: "col" }, "came")), rows)));
      }
      var lines = it.difference[2].map(function (number) { return make("div", {}, marked(text(number))); });
      list.append(make("dt", {}, "Bytes"), make("dd", {}, text(it.difference[0]), make("pre", { "class": "bytes" }, lines)));
    }
    list.append.apply(list, term("Tried", it.tried ? [it.tried + " times, and the worst counts"] : [])
      .concat(term("Again", [text(it.again[0]) + one.id + text(it.again[1])], true)));
    if (it.capture) {
      list.append(make("dt", {}, "Capture"), make("dd", {}, make("a", { href: it.capture.split("/").map(encodeURIComponent).join("/") }, make("code", {}, it.capture))));
    }
    return [list, it.ladder === undefined ? null : make("figure", {}, make("pre", {}, text(it.ladder)))];
  }

  function instance(one, named) {
    var reason = !named && one.details && one.details.why !== undefined ? text(one.details.why) : "";
    var element = make("details", { "class": "instance" }, make("summary", {}, badge(one.verdict),
      make("span", { "class": "name" }, make("code", {}, named ? one.id : one.short), make("span", { "class": "reason" }, reason)),
      make("span", { "class": "took" }, spent(one.took))));
    once(element, function () { element.append.apply(element, [].concat(details(one))); });
    return element;
  }

  // Does something when an element is opened first.
  function once(element, act) {
    element.addEventListener("toggle", function () { if (element.open && act) { act(); act = null; } });
  }

  // The instances of a case that the filter lets through.
  function fill(of) {
    each(of.element.querySelectorAll(".instance"), function (old) { old.remove(); });
    of.instances.forEach(function (one) {
      if (one.shown) {
        one.element = instance(one);
        one.element.id = "i" + one.number;
        of.element.append(one.element);
      }
    });
  }

  each(document.querySelectorAll(".part"), function (part) {
    var section = data.sections[part.dataset.section];
    section.cases.forEach(function (of) {
      of.part = part;
      of.words = [of.id, of.title, section.document, section.number, of.covers.join(" ")].join(" ").toLowerCase();
      of.instances = of.instances.map(function (row) {
        var id = row[0] === "" || row[0][0] === "[" ? of.id + row[0] : row[0];
        var one = { id: id, short: row[0].replace(/^\[|\]$/g, "") || id, verdict: data.verdicts[row[1]], took: row[2], details: row[3], of: of, number: instances.length, shown: true };
        instances.push(one);
        return one;
      });
      var worst = Math.max.apply(null, of.instances.map(function (one) { return rank(one.verdict); }));
      of.cells = of.instances.map(function (one) {
        return make("a", { href: "#i" + one.number, "class": one.verdict[0], title: one.id + ": " + one.verdict[1], "aria-label": one.id + ": " + one.verdict[1] }, sign(one.verdict));
      });
      var first = of.instances.filter(function (one) { return rank(one.verdict) === worst; })[0];
      of.element = make("details", { "class": "case" }, make("summary", {}, badge(first.verdict),
        make("span", { "class": "name" }, make("b", {}, of.title), " ", make("code", {}, of.id), " ", make("small", {}, of.level)), make("span", { "class": "cells" }, of.cells)));
      of.element.addEventListener("toggle", function () { if (of.element.open) { fill(of); } });
      part.append(of.element);
      cases.push(of);
    });
  });

  function rank(verdict) {
    return ["not-applicable", "pass", "expected-failure", "strict-only", "inconclusive", "unexpected-pass", "fail"].indexOf(verdict[0]);
  }

  // The plainest instance of a cause in full, and the way to the others.
  each(document.querySelectorAll("[data-cause]"), function (element) {
    once(element, function () {
      var of = data.causes[element.dataset.cause].map(function (number) { return instances[number]; });
      var plainest = instance(of[0], true);
      element.querySelector(".plainest").replaceWith(plainest);
      plainest.open = true;
      element.append(make("ul", {}, of.slice(1, 60).map(function (one) {
        return make("li", { "class": one.verdict[0] }, sign(one.verdict), " ", make("a", { href: "#i" + one.number }, make("code", {}, one.id)));
      }), of.length > 60 ? make("li", {}, "and " + (of.length - 60) + " more, below") : null));
    });
  });
  var first = document.querySelector("[data-cause]");
  if (first) { first.open = true; }

  function settle(selector, inner) {
    each(document.querySelectorAll(selector), function (element) { element.hidden = !element.querySelector(inner + ":not([hidden])"); });
  }

  function apply() {
    var verdicts = {}, count = 0;
    each(form.querySelectorAll("input[name=verdict]"), function (box) { verdicts[box.value] = box.checked; });
    var wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    cases.forEach(function (of) {
      var some = false;
      of.instances.forEach(function (one, at) {
        var reason = one.details && one.details.why !== undefined ? text(one.details.why) : "";
        var all = (of.words + " " + one.id + " " + one.verdict[1] + " " + reason).toLowerCase();
        one.shown = verdicts[one.verdict[0]] && wanted.every(function (word) { return all.indexOf(word) >= 0; });
        of.cells[at].hidden = !one.shown;
        some = some || one.shown;
        count += one.shown ? 1 : 0;
      });
      of.element.hidden = !some;
      if (of.element.open) { fill(of); }
    });
    settle(".part", ".case");
    settle(".document", ".part");
    shown.value = count === instances.length ? count + " instances" : count + " of " + instances.length + " instances";
  }

  // Opens what an address leads to, also where a filter hid it.
  function reveal() {
    var one = /^#i\d+$/.test(location.hash) && instances[location.hash.slice(2)];
    if (!one) { return; }
    one.shown = true;
    for (var at = one.of.element; at; at = at.parentElement) { at.hidden = false; }
    one.of.element.open = true;
    fill(one.of);
    one.element.open = true;
    one.element.classList.add("found");
    one.element.scrollIntoView();
  }

  form.addEventListener("input", apply);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  each(["open", "close"], function (id) {
    document.getElementById(id).addEventListener("click", function () {
      cases.forEach(function (of) { of.element.open = id === "open" && !of.element.hidden; });
    });
  });
  addEventListener("hashchange", reveal);
  apply();
  reveal();
}());
