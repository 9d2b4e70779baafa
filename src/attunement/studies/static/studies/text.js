// Texts and their passages. Places are counted in code points, as the ratings table has them;
// JavaScript counts in UTF-16 units.

export class Text {
  constructor(string) {
    this.string = string;
    this.plain = !/[\ud800-\udfff]/.test(string);
    if (this.plain) return;
    this.units = []; // of each code point, where it begins
    this.points = []; // of each unit, which code point it belongs to
    for (let unit = 0; unit < string.length; ) {
      const width = string.codePointAt(unit) > 0xffff ? 2 : 1;
      for (let i = 0; i < width; i++) this.points.push(this.units.length);
      this.units.push(unit);
      unit += width;
    }
    this.units.push(string.length);
    this.points.push(this.units.length - 1);
  }

  toPoint(unit) {
    return this.plain ? unit : this.points[unit];
  }

  toUnit(point) {
    return this.plain ? point : (this.units[point] ?? this.string.length);
  }

  // A passage without the white space around it, and with no half characters; null where none is left.
  trimmed(start, end) {
    while (start < end && /\s/.test(this.string[start])) start++;
    while (end > start && /\s/.test(this.string[end - 1])) end--;
    if (/[\udc00-\udfff]/.test(this.string[start] ?? "")) start--;
    if (/[\ud800-\udbff]/.test(this.string[end - 1] ?? "")) end++;
    return start < end ? [start, end] : null;
  }

  // Where words stand, as [start, end] in units.
  words(language) {
    return this.pieces("word", language, /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu, (s) => s.isWordLike);
  }

  sentences(language) {
    return this.pieces("sentence", language, /[^.!?\n]+[.!?]*/g, (s) => s.segment.trim() !== "");
  }

  pieces(granularity, language, pattern, wanted) {
    if (window.Intl?.Segmenter) {
      const segments = new Intl.Segmenter(language, { granularity }).segment(this.string);
      return [...segments].filter(wanted).map((s) => [s.index, s.index + s.segment.length]);
    }
    return [...this.string.matchAll(pattern)].map((m) => [m.index, m.index + m[0].length]);
  }
}

// The text cut at every place where a mark begins or ends: [start, end, marks that cover it].
export function cut(length, marks) {
  const places = [...new Set([0, length, ...marks.flatMap((m) => [m.start, m.end])])].sort((a, b) => a - b);
  return places.slice(0, -1).map((start, i) => {
    const end = places[i + 1];
    return [start, end, marks.filter((m) => m.start < end && m.end > start)];
  });
}
