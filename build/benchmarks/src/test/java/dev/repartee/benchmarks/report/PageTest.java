package dev.repartee.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class PageTest {
  private static final Chart CHART = new Chart(
      "some <chart>",
      Chart.Width.WIDE,
      "calls & \"figures\" < 1",
      1,
      List.of(
          new Chart.Group(
              "32x16",
              List.of(
                  new Chart.Bar("repartee", 0.5, "0.50", Chart.Of.US),
                  new Chart.Bar("raw-<netty>", 2, "2.00", Chart.Of.LIMIT))),
          new Chart.Group("1x1", List.of(new Chart.Bar("lsp4j", 0, "0", Chart.Of.PEER)))),
      List.of());

  @Test
  void aChartIsWellFormedAndItsBarsAreAsLongAsTheirFigures() throws Exception {
    Element svg = parsed(CHART.svg());
    assertThat(svg.getAttribute("aria-label")).isEqualTo(CHART.title());
    double us = length(svg, "US");
    assertThat(length(svg, "LIMIT")).isEqualTo(4 * us);
    assertThat(length(svg, "PEER")).isZero();
    Element mark = (Element) svg.getElementsByTagName("line").item(0);
    double left = attribute(bar(svg, "US"), "x");
    assertThat(attribute(mark, "x1") - left).as("the mark at 1").isEqualTo(2 * us);
  }

  @Test
  void aBarOfManyTimesTheMarkIsCutAndMarkedAsCut() throws Exception {
    Chart chart = new Chart(
        "",
        Chart.Width.NARROW,
        "",
        1,
        List.of(new Chart.Group(
            "",
            List.of(
                new Chart.Bar("repartee", 1, "1.00", Chart.Of.US),
                new Chart.Bar("raw-http", 55, "55.0", Chart.Of.LIMIT)))),
        List.of());
    Element svg = parsed(chart.svg());
    assertThat(length(svg, "LIMIT")).isEqualTo(2 * length(svg, "US"));
    assertThat(svg.getTextContent()).contains("» 55.0").doesNotContain("» 1.00");
  }

  @Test
  void withoutAMarkEachGroupHasItsOwnScaleAndTheNotesFollow() throws Exception {
    Chart chart = new Chart(
        "",
        Chart.Width.NARROW,
        "",
        0,
        List.of(
            new Chart.Group("", List.of(new Chart.Bar("repartee", 1, "1", Chart.Of.US))),
            new Chart.Group("", List.of(new Chart.Bar("lsp4j", 9, "9", Chart.Of.PEER)))),
        List.of("a machine", "a date"));
    Element svg = parsed(chart.svg());
    assertThat(length(svg, "US")).isEqualTo(length(svg, "PEER"));
    NodeList texts = svg.getElementsByTagName("text");
    Element last = (Element) texts.item(texts.getLength() - 1);
    assertThat(last.getTextContent()).isEqualTo("a date");
    assertThat(attribute(last, "y")).isLessThan(attribute(svg, "height"));
  }

  @Test
  void aChartMayLieInAnotherFolder(@TempDir Path folder) throws Exception {
    Chart chart =
        new Chart("../images/speed", Chart.Width.WIDE, "speed", 0, CHART.groups(), List.of());
    page(new Section("", List.of(), List.of(chart), List.of())).write(folder.resolve("report.md"));
    assertThat(folder.resolve("report.md")).content().contains("![speed](images/speed.svg)");
    assertThat(folder.resolve("images/speed.svg")).exists();
  }

  @Test
  void everyBarLiesWithinTheChartBelowThePreviousBar() throws Exception {
    Element svg = parsed(CHART.svg());
    double bottom = 0;
    for (String of : List.of("US", "LIMIT", "PEER")) {
      Element bar = bar(svg, of);
      assertThat(attribute(bar, "y")).isGreaterThan(bottom);
      bottom = attribute(bar, "y") + attribute(bar, "height");
      assertThat(attribute(bar, "x") + attribute(bar, "width")).isLessThan(attribute(svg, "width"));
    }
    assertThat(bottom).isLessThan(attribute(svg, "height"));
  }

  @Test
  void aPageIsWrittenWithItsChartsAndNoOthers(@TempDir Path folder) throws Exception {
    Files.createDirectories(folder.resolve("report"));
    Files.writeString(folder.resolve("report/of-yesterday.svg"), "");
    Chart chart = new Chart("speed", Chart.Width.WIDE, "speed", 0, CHART.groups(), List.of());
    Section section = new Section("## Speed\n", List.of(), List.of(chart), List.of("x: late"));
    page(section).write(folder.resolve("report.md"));
    String text = Files.readString(folder.resolve("report.md"));
    assertThat(text).contains("a machine.", "## Speed", "- x: late");
    List<String> shown = Pattern.compile("!\\[.*]\\((.*)\\)")
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
    assertThat(shown).containsExactly("report/speed.svg");
    try (Stream<Path> files = Files.list(folder.resolve("report"))) {
      assertThat(files).containsExactly(folder.resolve("report/speed.svg"));
    }
  }

  @Test
  void aGoalIsShownForEachJdkAndTheAttemptsIfItIsMissedOnTheFirst() {
    String text = new Page(
            "a machine",
            List.of(run("25", goal("speed", 0.5), goal("size", 2)), run("17", goal("speed", 1.5))))
        .text("charts");
    assertThat(text)
        .contains("| | figure | goal | JDK 25 | | JDK 17 | | beside |")
        .contains("| speed | a to b | at least 1 | 0.50 | **no** | 1.50 | yes |  |")
        .contains("| size | a to b | at least 1 | 2 | yes |  | |  |")
        .contains("- speed: 0.50, not at least 1. Everything was tried.")
        .doesNotContain("- size");
  }

  @Test
  void theNoiseIsTheDifferenceOfFiguresThatWereMeasuredTwiceOnOneJdk() {
    String text = new Page(
            "a machine",
            List.of(
                run("25", goal("speed", 2), goal("size", 1), goal("cost", 10)),
                run("25", goal("speed", 3), goal("size", 0.9), goal("cost", 11)),
                run("17", goal("speed", 20))))
        .text("charts");
    assertThat(text)
        .contains("| JDK 25 | | JDK 25 again | | JDK 17 | |")
        .contains("| size | a to b | at least 1 | 1 | yes | 0.90 | **no** |  | |")
        .contains("half of them lie less than 10.0 % apart")
        .contains("The largest difference (speed) is 50.0 %");
  }

  @Test
  void figuresThatWereMeasuredOnceShowNoNoise() {
    String text = new Page(
            "a machine", List.of(run("25", goal("speed", 2)), run("17", goal("speed", 1))))
        .text("charts");
    assertThat(text).doesNotContain("noise").doesNotContain("again");
  }

  private static Page.Run run(String jdk, Goal... goals) {
    return new Page.Run(jdk, List.of(section(goals)));
  }

  private static Section section(Goal... goals) {
    return new Section("", List.of(goals), List.of(), List.of());
  }

  private static Goal goal(String text, double measured) {
    return new Goal(text, "a to b", Goal.Bound.atLeast(1), measured, "", "Everything was tried.");
  }

  private static Page page(Section section) {
    return new Page("a machine", List.of(new Page.Run("25", List.of(section))));
  }

  private static Element parsed(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
        .getDocumentElement();
  }

  private static Element bar(Element svg, String of) {
    NodeList bars = svg.getElementsByTagName("rect");
    for (int i = 0; i < bars.getLength(); i++) {
      Element bar = (Element) bars.item(i);
      if (bar.getAttribute("class").equals(of)) {
        return bar;
      }
    }
    throw new AssertionError("there is no bar of " + of);
  }

  private static double length(Element svg, String of) {
    return attribute(bar(svg, of), "width");
  }

  private static double attribute(Element element, String name) {
    return Double.parseDouble(element.getAttribute(name));
  }
}
