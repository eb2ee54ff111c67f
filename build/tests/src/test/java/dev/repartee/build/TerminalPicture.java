package dev.repartee.build;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Draws a {@link TerminalSession} as an animated SVG. All animation is in the style sheet: viewers
 * that prefer reduced motion, or do not support animations, show the end of the session.
 */
final class TerminalPicture {
  private static final int ROWS = 20;
  private static final double CELL = 8.4; // the usual width of a monospaced character of 14 px
  private static final int LINE = 20;
  private static final int MARGIN = 14;
  private static final double WIDTH = TerminalSession.COLUMNS * CELL;

  private static final int KEY_MILLIS = 25;
  private static final int PAUSE_MILLIS = 500;
  private static final int END_MILLIS = 5_000;

  /** The time to read a row of output before the next command. */
  private static final int READING_MILLIS = 100;

  /** The maximum time without new output; a longer time is shortened. */
  private static final int WAIT_MILLIS = 1_000;

  /** The minimum time of a text that another text overwrites; a shorter one is not shown. */
  private static final int SEEN_MILLIS = 120;

  private static final String STYLE = """
      text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
        fill: #e6edf3; white-space: pre }
      .typed { fill: #7ee787 }
      .comment { fill: #9aa4af }
      .window, .cover { fill: #0d1117 }
      .window { stroke: #57606a }
      .cursor { fill: #e6edf3 }
      .past, .typing { opacity: 0 }
      @media (prefers-reduced-motion: reduce) { g { animation: none !important } }
      """;

  /** A text; {@code to} is 0 if it stays until the end. */
  private record Item(long from, long to, String svg) {}

  /** A cover over a typed row, which the cursor moves to the right. */
  private record Typing(int row, int keys, long from, long start, long end) {}

  private final List<Item> items = new ArrayList<>();
  private final List<Typing> typings = new ArrayList<>();
  private final NavigableMap<Long, Integer> scrolls = new TreeMap<>();
  private int row;
  private long now;

  private TerminalPicture() {}

  /** Returns the picture of a session. */
  static String svg(String title, List<TerminalSession.Entry> session) {
    TerminalPicture picture = new TerminalPicture();
    for (TerminalSession.Entry entry : session) {
      picture.type(entry.lines());
      picture.print(entry.rows());
    }
    picture.nextRow();
    picture.show(0, text("typed", picture.row - 1, "$ "));
    picture.show(0, rectangle("cursor", picture.row - 1, CELL));
    return picture.svg(
        title, session.stream().flatMap(entry -> entry.lines().stream()).collect(joining("\n")));
  }

  // ---------------------------------------------------------------- the session

  private void type(List<String> lines) {
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      nextRow();
      show(
          0,
          text(line.startsWith("#") ? "comment" : "typed", row - 1, (i == 0 ? "$ " : "> ") + line));
      long start = now + PAUSE_MILLIS;
      long end = start + (long) KEY_MILLIS * line.length();
      typings.add(new Typing(row - 1, line.length(), now, start, end));
      now = end + PAUSE_MILLIS / 2;
    }
  }

  private void print(List<TreeMap<Long, String>> output) {
    NavigableMap<Long, Long> times = shownTimes(output);
    for (TreeMap<Long, String> texts : output) {
      int first = row;
      if (texts.isEmpty()) {
        nextRow();
        continue;
      }
      now = times.get(texts.firstKey());
      wrapped(texts.lastEntry().getValue()).forEach(part -> nextRow());
      texts.forEach((from, text) -> {
        now = times.get(from);
        Long next = texts.higherKey(from);
        long to = next == null ? 0 : times.get(next);
        if (next == null || to - now >= SEEN_MILLIS) {
          List<String> parts = wrapped(text);
          for (int i = 0; i < parts.size(); i++) {
            show(to, text("", first + i, parts.get(i)));
          }
        }
      });
    }
    now += PAUSE_MILLIS + (long) READING_MILLIS * output.size();
  }

  /** Returns the time in the picture for each time of a command. */
  private NavigableMap<Long, Long> shownTimes(List<TreeMap<Long, String>> output) {
    NavigableMap<Long, Long> times = new TreeMap<>();
    output.forEach(texts -> texts.keySet().forEach(time -> times.put(time, 0L)));
    long shown = now;
    long before = 0;
    for (Map.Entry<Long, Long> time : times.entrySet()) {
      shown += Math.min(time.getKey() - before, WAIT_MILLIS);
      before = time.getKey();
      time.setValue(shown);
    }
    return times;
  }

  /** Returns the rows of a text that is longer than a row. */
  private static List<String> wrapped(String text) {
    List<String> parts = new ArrayList<>();
    int width = TerminalSession.COLUMNS;
    for (int i = 0; i == 0 || i < text.length(); i += width) {
      parts.add(text.substring(i, Math.min(i + width, text.length())));
    }
    return parts;
  }

  private void show(long to, String svg) {
    items.add(new Item(now, to, svg));
  }

  private void nextRow() {
    row++;
    if (row > ROWS) {
      scrolls.put(now, row - ROWS);
    }
  }

  // ---------------------------------------------------------------- SVG

  private String svg(String title, String script) {
    long length = now + END_MILLIS;
    StringBuilder css = new StringBuilder(STYLE);
    css.append(of(
        "g { animation-duration: %dms; animation-iteration-count: infinite; "
            + "animation-timing-function: step-end }%n",
        length));
    StringBuilder body = new StringBuilder();
    Map<String, Integer> names = new LinkedHashMap<>();
    for (Item item : items) {
      String end = item.to == 0 ? "" : at(item.to, length, "opacity:0");
      String frames = "0%{opacity:0}" + at(item.from, length, "opacity:1") + end;
      Integer name = names.get(frames);
      if (name == null) {
        name = names.size();
        names.put(frames, name);
        css.append(of("@keyframes t%d{%s}%n.t%1$d{animation-name:t%1$d}%n", name, frames));
      }
      body.append(of("<g class=\"t%d%s\">%s</g>%n", name, item.to == 0 ? "" : " past", item.svg));
    }
    for (int i = 0; i < typings.size(); i++) {
      Typing typing = typings.get(i);
      String right = of("transform:translateX(%.1fpx)", typing.keys * CELL);
      css.append(of(
          "@keyframes c%d{0%%{opacity:0}%s%s%s%s}%n.c%1$d{animation-name:c%1$d}%n",
          i,
          at(typing.from, length, "opacity:1;transform:none"),
          at(
              typing.start,
              length,
              "opacity:1;transform:none;animation-timing-function:steps(" + typing.keys + ")"),
          at(typing.end, length, "opacity:1;" + right),
          at(typing.end + PAUSE_MILLIS / 2, length, "opacity:0;" + right)));
      body.append(of(
          "<g class=\"typing c%d\">%s%s</g>%n",
          i, rectangle("cover", typing.row, WIDTH), rectangle("cursor", typing.row, CELL)));
    }
    StringBuilder frames = new StringBuilder("0%{transform:none}");
    scrolls.forEach((time, rows) ->
        frames.append(at(time, length, "transform:translateY(" + -rows * LINE + "px)")));
    css.append(of(
        "@keyframes scroll{%s}%n.scroll{animation-name:scroll;transform:translateY(%dpx)}%n",
        frames, scrolls.isEmpty() ? 0 : -scrolls.lastEntry().getValue() * LINE));
    double width = WIDTH + 2 * MARGIN;
    int height = ROWS * LINE + 2 * MARGIN;
    return of(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\" viewBox=\"0 0 %1$.0f %2$d\" "
            + "role=\"img\" aria-labelledby=\"title desc\" xml:space=\"preserve\">%n"
            + "<title id=\"title\">%s</title>%n<desc id=\"desc\">%s</desc>%n<style>%n%s</style>%n"
            + "<rect class=\"window\" x=\"0.5\" y=\"0.5\" width=\"%.0f\" height=\"%d\" rx=\"8\"/>%n"
            + "<svg x=\"%d\" y=\"%8$d\" width=\"%.0f\" height=\"%d\"><g class=\"scroll\">%n%s</g></svg>%n</svg>%n",
        width,
        height,
        escaped(title),
        escaped(script),
        css,
        width - 1,
        height - 1,
        MARGIN,
        WIDTH,
        ROWS * LINE,
        body);
  }

  /** Returns a frame of an animation. */
  private static String at(long time, long length, String style) {
    return of("%.2f%%{%s}", 100.0 * time / length, style);
  }

  private static String text(String style, int row, String text) {
    return text.isEmpty()
        ? ""
        : of(
            "<text class=\"%s\" y=\"%d\" textLength=\"%.1f\">%s</text>",
            style.isEmpty() ? "out" : style, row * LINE + 15, text.length() * CELL, escaped(text));
  }

  /** Returns a rectangle behind the prompt. */
  private static String rectangle(String style, int row, double width) {
    return of(
        "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
        style, 2 * CELL, row * LINE, width, LINE);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String of(String format, Object... args) {
    return String.format(Locale.ROOT, format, args);
  }
}
