package dev.repartee.agents.run;

import dev.repartee.agents.Failure;
import dev.repartee.internal.Visible;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Draws a run as SVG: a bar for each step from its start to its end, in the colour of its state.
 * The indentation of a name shows the enclosing steps. Each bar has a text alternative. The picture
 * supports light and dark mode, and loads no other files.
 */
public final class Timeline {
  /** The maximum number of steps in a picture. A last line states the number of the others. */
  private static final int MOST_ROWS = 500;

  private static final int WIDTH = 900;
  private static final int LEFT = 260;
  private static final int RIGHT = 780;
  private static final int TOP = 74;
  private static final int ROW = 20;
  private static final int INDENT = 14;

  /** The maximum number of characters of a step name and its agent, left of the bars. */
  private static final int LONGEST_LABEL = 34;

  /** The minimum number of characters for the name of an agent; with less room it is omitted. */
  private static final int LEAST_AGENT = 4;

  private static final double LEAST_BAR = 2;

  /** The estimated width of a character of the note after a bar. */
  private static final double NOTE_WIDTH = 5.8;

  /** The minimum number of characters of a note, even if they are wider than the picture. */
  private static final int LEAST_NOTE = 18;

  private static final String STYLE = """
      <style>
        text { font: 12px system-ui, sans-serif; fill: #1f2328 }
        .title { font-size: 14px; font-weight: 600 }
        .group { font-weight: 600 }
        .axis { font-size: 11px; fill: #59636e }
        .page { fill: #ffffff; stroke: #d1d9e0 }
        .grid { stroke: #d1d9e0 }
        .resumed { stroke: #bf8700; stroke-dasharray: 4 3 }
        .SUCCEEDED { fill: #1a7f37 }
        .FAILED { fill: #cf222e }
        .CANCELLED { fill: #8c959f }
        .SKIPPED, .PENDING { fill: none; stroke: #8c959f; stroke-dasharray: 3 3 }
        .RUNNING { fill: #0969da }
        .WAITING { fill: #bf8700 }
        .UNKNOWN { fill: #8250df }
        .inside { fill-opacity: 0.45 }
        @media (prefers-color-scheme: dark) {
          text { fill: #f0f6fc }
          .axis { fill: #9198a1 }
          .page { fill: #0d1117; stroke: #3d444d }
          .grid { stroke: #3d444d }
          .SUCCEEDED { fill: #3fb950 }
          .FAILED { fill: #f85149 }
          .CANCELLED { fill: #656c76 }
          .SKIPPED, .PENDING { stroke: #656c76 }
          .RUNNING { fill: #4493f8 }
          .WAITING { fill: #d29922 }
          .UNKNOWN { fill: #ab7df8 }
        }
      </style>
      """;

  private final RunResult result;
  private final StringBuilder svg = new StringBuilder();
  private final Instant begin;
  private final double nanos;

  private Timeline(RunResult result) {
    this.result = result;
    this.begin = result.steps().stream()
        .map(StepReport::started)
        .filter(Objects::nonNull)
        .reduce(result.started(), (one, other) -> one.isBefore(other) ? one : other);
    this.nanos = Math.max(1, Duration.between(begin, result.ended()).toNanos());
  }

  /**
   * Returns the picture of a run.
   *
   * @param title the title, such as the name of the plan
   */
  public static String svg(String title, RunResult result) {
    return new Timeline(result).draw(title);
  }

  private String draw(String title) {
    List<StepReport> steps = result.steps();
    int rows = Math.min(MOST_ROWS, steps.size());
    int height = TOP + rows * ROW + (rows < steps.size() ? ROW : 0) + 14;
    Failure failure = result.failure();
    String outcome = failure == null ? "succeeded" : "failed: " + failure.message();
    String time = text(Duration.ofNanos((long) nanos));
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %1$d"
            + " %2$d\" role=\"img\" aria-label=\"%s\">%n%s",
        WIDTH,
        height,
        escaped(title + ", " + time + ", " + steps.size() + " steps, " + outcome),
        STYLE);
    add(
        "<rect class=\"page\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n",
        WIDTH - 1, height - 1);
    label("title", "start", 16, 26, title);
    label("", "start", 16, 46, cut(outcome, 130));
    grid(height);
    resumed(height);
    for (int i = 0; i < rows; i++) {
      row(steps.get(i), TOP + i * ROW);
    }
    if (rows < steps.size()) {
      label("axis", "start", 16, TOP + rows * ROW + 14, steps.size() - rows + " more steps");
    }
    return svg.append("</svg>\n").toString();
  }

  /** Draws lines at the start, the quarters and the end. */
  private void grid(int height) {
    for (int quarter = 0; quarter <= 4; quarter++) {
      double x = LEFT + (RIGHT - LEFT) * quarter / 4.0;
      add(
          "<line class=\"grid\" x1=\"%.1f\" x2=\"%1$.1f\" y1=\"%d\" y2=\"%d\"/>%n",
          x, TOP - 4, height - 10);
      label("axis", "middle", x, TOP - 8, text(Duration.ofNanos((long) (nanos * quarter / 4))));
    }
  }

  /** Draws a line at the start of this process, if the run began in an earlier process. */
  private void resumed(int height) {
    if (begin.isBefore(result.started())) {
      double x = x(result.started());
      add(
          "<line class=\"resumed\" x1=\"%.1f\" x2=\"%1$.1f\" y1=\"%d\" y2=\"%d\"/>%n",
          x, TOP - 4, height - 14);
      label("axis", "middle", x, height - 4, "continued");
    }
  }

  private void row(StepReport step, int y) {
    boolean inside = !step.kind().equals("call") && !step.kind().equals("approval");
    String words = words(step);
    add("<g><title>%s</title>%n", escaped(words));
    int indent = Math.min(step.depth(), 10) * INDENT;
    String name = cut(step.name(), LONGEST_LABEL - indent / 7);
    int room = LONGEST_LABEL - indent / 7 - name.length() - 2;
    String agent = step.agent() == null || room < LEAST_AGENT ? "" : cut(step.agent(), room);
    add(
        "<text class=\"%s\" x=\"%d\" y=\"%d\">%s<tspan class=\"axis\" dx=\"8\">%s</tspan></text>%n",
        inside ? "group" : "", 16 + indent, y + 14, escaped(name), escaped(agent));
    Instant started = step.started();
    double from = started == null ? LEFT : x(started);
    Instant ended = step.ended();
    double to = started == null ? LEFT + 12 : ended == null ? RIGHT : x(ended);
    add(
        "<rect class=\"%s%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>%n",
        step.state(),
        inside ? " inside" : "",
        from,
        y + 3,
        Math.max(LEAST_BAR, to - from),
        ROW - 6);
    double behind = Math.max(from + LEAST_BAR, to) + 6;
    int most = (int) ((WIDTH - 10 - behind) / NOTE_WIDTH);
    label("axis", "start", behind, y + 14, cut(note(step), Math.max(LEAST_NOTE, most)));
    add("</g>%n");
  }

  private double x(Instant at) {
    double share = Duration.between(begin, at).toNanos() / nanos;
    return LEFT + (RIGHT - LEFT) * Math.max(0, Math.min(1, share));
  }

  /** Returns the text after a bar. */
  private static String note(StepReport step) {
    String note = step.state() == StepState.SUCCEEDED
        ? ""
        : step.state().name().toLowerCase(Locale.ROOT) + " ";
    note += took(step);
    if (step.attempts() > 1) {
      note += ", " + step.attempts() + " attempts";
    }
    if (step.restored()) {
      note += ", from the journal";
    }
    Failure failure = step.failure();
    return failure == null ? note.strip() : note.strip() + ": " + failure.message();
  }

  private static String took(StepReport step) {
    return step.started() == null || step.ended() == null
        ? ""
        : text(Duration.between(step.started(), step.ended()));
  }

  private static String words(StepReport step) {
    Failure failure = step.failure();
    String agent = step.agent();
    return step.kind() + " " + step.id()
        + (agent == null ? "" : " by " + agent)
        + (step.skill() == null ? "" : " with " + step.skill())
        + ": " + step.state().name().toLowerCase(Locale.ROOT)
        + (took(step).isEmpty() ? "" : " after " + took(step))
        + (failure == null ? "" : ": " + failure.message());
  }

  private void label(String style, String anchor, double x, int y, String text) {
    add(
        "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>%n",
        style, anchor, x, y, escaped(text));
  }

  private void add(String format, Object... args) {
    svg.append(String.format(Locale.ROOT, format, args).replace("\r\n", "\n"));
  }

  private static String cut(String text, int length) {
    return text.length() <= length ? text : text.substring(0, Math.max(1, length - 1)) + "\u2026";
  }

  /** Returns a time in minutes, seconds or milliseconds, depending on its size. */
  static String text(Duration time) {
    long millis = time.toMillis();
    return millis >= 60_000
        ? String.format(Locale.ROOT, "%d min %d s", millis / 60_000, millis / 1_000 % 60)
        : millis >= 1_000
            ? String.format(Locale.ROOT, "%.1f s", millis / 1e3)
            : millis >= 10 || millis == 0 && time.isZero()
                ? millis + " ms"
                : String.format(Locale.ROOT, "%.1f ms", time.toNanos() / 1e6);
  }

  /** Escapes a text for XML. Replaces characters that XML forbids, and {@link Visible hidden} ones. */
  private static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    text.codePoints().forEach(c -> {
      switch (c) {
        case '&' -> escaped.append("&amp;");
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '"' -> escaped.append("&quot;");
        default -> {
          boolean allowed =
              !Visible.isHidden(c) && (c < 0xD800 || c >= 0xE000 && c < 0xFFFE || c > 0xFFFF);
          escaped.appendCodePoint(allowed ? c : c < 0x20 ? ' ' : '?');
        }
      }
    });
    return escaped.toString();
  }
}
