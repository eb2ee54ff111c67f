package dev.repartee.benchmarks.report;

import java.util.List;

/**
 * A chart with horizontal bars that start at zero.
 *
 * @param name the path of its file, without {@code .svg}, in the folder of the page's charts
 * @param title the meaning of the bars, with their unit
 * @param mark the value at which a line is drawn through all bars, such as 1; 0 for no line and a
 *     scale for each group
 * @param notes the lines below the bars
 */
public record Chart(
    String name, Width width, String title, double mark, List<Group> groups, List<String> notes) {
  /** The space for the text after the longest bar. */
  private static final int TEXT = 80;

  private static final int TOP = 44;
  private static final int BAR = 18;
  private static final int HEAD = 26;
  private static final int NOTE = 16;

  /**
   * The maximum length of a bar as a multiple of the mark; a longer bar is cut to keep the others
   * readable.
   */
  private static final double CUT = 2;

  /** Makes a chart with one group of bars, without a mark. */
  public static Chart of(String name, String title, List<Bar> bars) {
    return new Chart(name, Width.WIDE, title, 0, List.of(new Group("", bars)), List.of());
  }

  /** The width in pixels, and the part of it for the labels. */
  public enum Width {
    WIDE(760, 190),
    /** For short labels; readable on a phone. */
    NARROW(530, 150);

    private final int all;
    private final int labels;

    Width(int all, int labels) {
      this.all = all;
      this.labels = labels;
    }
  }

  /** Bars under a heading, which may be empty. */
  public record Group(String title, List<Bar> bars) {}

  /** The owner of a bar. */
  public enum Of {
    US,
    LIMIT,
    PEER
  }

  /**
   * One bar.
   *
   * @param text the text after the bar
   */
  public record Bar(String label, double value, String text, Of of) {
    /** Returns the owner of a contestant's figure. */
    public static Of owner(String contestant) {
      return contestant.startsWith("repartee")
          ? Of.US
          : contestant.startsWith("raw-") ? Of.LIMIT : Of.PEER;
    }
  }

  /** The style sheet; with its own background the chart is readable on light and dark pages. */
  private static final String STYLE = """
      <style>
        text { font: 12px system-ui, sans-serif; fill: #1f2328 }
        .title { font-size: 14px; font-weight: 600 }
        .group { font-weight: 600 }
        .note { font-size: 11px }
        .page { fill: #ffffff; stroke: #d1d9e0 }
        .US { fill: #0969da }
        .LIMIT { fill: #8c959f }
        .PEER { fill: #d4a72c }
        .mark { stroke: #cf222e; stroke-dasharray: 4 3 }
        @media (prefers-color-scheme: dark) {
          text { fill: #f0f6fc }
          .page { fill: #0d1117; stroke: #3d444d }
          .US { fill: #4493f8 }
          .LIMIT { fill: #656c76 }
          .PEER { fill: #bb8009 }
          .mark { stroke: #f85149 }
        }
      </style>
      """;

  /** Returns the chart as SVG. */
  String svg() {
    Text svg = new Text();
    int height = height();
    svg.add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            + "viewBox=\"0 0 %1$d %2$d\" role=\"img\" aria-label=\"%s\">%n%s",
        width.all, height, escaped(title), STYLE);
    svg.add(
        "<rect class=\"page\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n",
        width.all - 1, height - 1);
    text(svg, "title", "start", 16, 26, title);
    int y = TOP;
    for (Group group : groups) {
      if (!group.title().isEmpty()) {
        text(svg, "group", "start", 16, y + 16, group.title());
        y += HEAD;
      }
      double scale = scale(mark > 0 ? groups : List.of(group));
      for (Bar bar : group.bars()) {
        bar(svg, bar, y, scale);
        y += BAR;
      }
    }
    for (String note : notes) {
      y += NOTE;
      text(svg, "note", "start", 16, y + 4, note);
    }
    if (mark > 0) {
      double x = width.labels + length(mark, scale(groups));
      svg.add(
          "<line class=\"mark\" x1=\"%.1f\" x2=\"%1$.1f\" y1=\"%d\" y2=\"%d\"/>%n",
          x, TOP, height - 8);
    }
    return svg.add("</svg>%n").toString();
  }

  private int height() {
    int height = TOP + 12 + notes.size() * NOTE;
    for (Group group : groups) {
      height += group.bars().size() * BAR + (group.title().isEmpty() ? 0 : HEAD);
    }
    return height;
  }

  private void bar(Text svg, Bar bar, int y, double scale) {
    text(svg, "", "end", width.labels - 8, y + 13, bar.label());
    double length = length(bar.value(), scale);
    svg.add(
        "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>%n",
        bar.of(), width.labels, y + 2, length, BAR - 4);
    text(
        svg,
        "",
        "start",
        width.labels + length + 6,
        y + 13,
        (bar.value() > scale ? "» " : "") + bar.text());
  }

  private double length(double value, double scale) {
    return (width.all - TEXT - width.labels)
        * Math.min(value, scale)
        / Math.max(scale, Double.MIN_NORMAL);
  }

  /** Returns the value at the right end of these groups. */
  private double scale(List<Group> groups) {
    double largest = groups.stream()
        .flatMap(group -> group.bars().stream())
        .mapToDouble(Bar::value)
        .max()
        .orElse(0);
    return mark > 0 ? Math.max(mark, Math.min(largest, CUT * mark)) : largest;
  }

  private static void text(Text svg, String style, String anchor, double x, int y, String text) {
    svg.add(
        "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>%n",
        style, anchor, x, y, escaped(text));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
