package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * The report of a check. Immutable.
 *
 * @param subject the URI of the server, or the command or name of the client
 * @param verdicts one verdict for each case, in the order of the cases
 * @param took the duration of the check
 */
public record Report(String subject, List<Verdict> verdicts, Duration took) {
  /** The number of values listed for a case that failed with several values in the same way. */
  private static final int VALUES_SHOWN = 5;

  /** The length to which the table cuts expected and actual behaviour. */
  private static final int MAX_SHOWN = 200;

  /** Copies the verdicts. */
  public Report {
    verdicts = List.copyOf(verdicts);
  }

  /** Returns the number of cases with that outcome. */
  public long count(Outcome outcome) {
    return verdicts.stream().filter(v -> v.outcome() == outcome).count();
  }

  /** Returns the number of failed cases of that level. */
  public long failures(Level level) {
    return verdicts.stream()
        .filter(v -> v.outcome() == Outcome.FAILED && v.tested().level() == level)
        .count();
  }

  /** Returns whether no case of level {@link Level#MUST} failed. */
  public boolean isConformant() {
    return verdicts.stream().noneMatch(Verdict::isViolation);
  }

  /**
   * Returns a sentence with the number of cases that passed, failed (by level) and were not run.
   */
  public String summary() {
    return String.format(
        Locale.ROOT,
        "%s: %d of %d cases passed, %d failed (%d MUST, %d SHOULD, %d INTEROP), %d not run, in %.1f s",
        subject,
        count(Outcome.PASSED),
        verdicts.size(),
        count(Outcome.FAILED),
        failures(Level.MUST),
        failures(Level.SHOULD),
        failures(Level.INTEROP),
        count(Outcome.NOT_RUN),
        took.toMillis() / 1e3);
  }

  /**
   * Returns a Markdown table for people: a line for each group, then the failed cases, and the
   * reasons why cases were not run. Values with which a case failed in the same way share a line,
   * which shows the expected and the actual behaviour for the first value.
   *
   * @param all whether to list all cases, each on its own line, instead of the failed ones
   */
  public String table(boolean all) {
    StringBuilder text = new StringBuilder();
    groups(text);
    List<List<String>> rows = new ArrayList<>();
    if (all) {
      verdicts.forEach(verdict -> rows.add(row(List.of(verdict))));
    } else {
      verdicts.stream()
          .filter(v -> v.outcome() == Outcome.FAILED)
          .collect(Collectors.groupingBy(Report::fault, LinkedHashMap::new, Collectors.toList()))
          .forEach((fault, alike) -> rows.add(row(alike)));
    }
    if (!rows.isEmpty()) {
      text.append('\n');
      Table.write(text, List.of("", "clause", "case", "expected", "got"), rows);
    }
    if (!all) {
      notRun(text);
    }
    return text.append('\n').append(summary()).append('\n').toString();
  }

  /** Returns the case without its value, and the fault without the received text. */
  private static String fault(Verdict failed) {
    Case tested = failed.tested();
    return tested.group() + ": " + tested.name() + ": " + failed.got().split(":", 2)[0];
  }

  private static List<String> row(List<Verdict> alike) {
    Verdict first = alike.get(0);
    Case tested = first.tested();
    String more = alike.stream()
        .skip(1)
        .limit(VALUES_SHOWN - 1)
        .map(verdict -> ", " + verdict.tested().value())
        .collect(Collectors.joining());
    int rest = alike.size() - VALUES_SHOWN;
    return List.of(
        first.outcome() == Outcome.FAILED
            ? tested.level().toString()
            : first.outcome().toString().toLowerCase(Locale.ROOT).replace('_', ' '),
        tested.clause(),
        tested + more + (rest > 0 ? " and " + rest + " more" : ""),
        cut(first.expected()),
        cut(first.got()));
  }

  private static String cut(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
  }

  private void groups(StringBuilder text) {
    Map<String, int[]> counts = new LinkedHashMap<>();
    for (Verdict verdict : verdicts) {
      int[] count = counts.computeIfAbsent(
          verdict.tested().group(), group -> new int[Outcome.values().length]);
      count[verdict.outcome().ordinal()]++;
    }
    List<List<String>> rows = new ArrayList<>();
    counts.forEach((group, count) -> rows.add(List.of(
        group,
        number(count[Outcome.PASSED.ordinal()]),
        number(count[Outcome.FAILED.ordinal()]),
        number(count[Outcome.NOT_RUN.ordinal()]))));
    Table.write(text, List.of("group", "passed", "failed", "not run"), rows);
  }

  private static String number(int count) {
    return count == 0 ? "" : Integer.toString(count);
  }

  private void notRun(StringBuilder text) {
    Map<String, Integer> reasons = new LinkedHashMap<>();
    for (Verdict verdict : verdicts) {
      if (verdict.outcome() == Outcome.NOT_RUN) {
        reasons.merge(verdict.got(), 1, Integer::sum);
      }
    }
    reasons.forEach((why, count) ->
        text.append(String.format(Locale.ROOT, "%n%d not run: %s", count, cut(why))));
    if (!reasons.isEmpty()) {
      text.append('\n');
    }
  }

  /** Returns the report as a JSON object, with all cases. */
  public Json json() {
    List<Map<String, Object>> cases = new ArrayList<>();
    for (Verdict verdict : verdicts) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("group", verdict.tested().group());
      one.put("name", verdict.tested().name());
      one.put("value", verdict.tested().value());
      one.put("clause", verdict.tested().clause());
      one.put("level", verdict.tested().level().toString());
      one.put("outcome", verdict.outcome().toString());
      one.put("expected", verdict.expected());
      one.put("got", verdict.got());
      cases.add(one);
    }
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("subject", subject);
    report.put("conformant", isConformant());
    for (Outcome outcome : Outcome.values()) {
      report.put(outcome.toString().toLowerCase(Locale.ROOT), count(outcome));
    }
    report.put("millis", took.toMillis());
    report.put("cases", cases);
    return Json.of(report);
  }

  /**
   * Returns the report as JUnit XML for build servers, with all cases. Failed cases of the levels
   * SHOULD and INTEROP are reported as skipped, because they violate no rule.
   */
  public String junit() {
    StringWriter text = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
      xml.writeStartDocument(UTF_8.name(), "1.0");
      xml.writeStartElement("testsuite");
      xml.writeAttribute("name", "JSON-RPC 2.0 at " + legal(subject));
      xml.writeAttribute("tests", Integer.toString(verdicts.size()));
      xml.writeAttribute("failures", Long.toString(failures(Level.MUST)));
      xml.writeAttribute("errors", "0");
      xml.writeAttribute(
          "skipped",
          Long.toString(count(Outcome.NOT_RUN) + count(Outcome.FAILED) - failures(Level.MUST)));
      xml.writeAttribute("time", Double.toString(took.toMillis() / 1e3));
      for (Verdict verdict : verdicts) {
        write(xml, verdict);
      }
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException e) {
      throw new IllegalStateException(e);
    }
    return text.toString();
  }

  private static void write(XMLStreamWriter xml, Verdict verdict) throws XMLStreamException {
    Case tested = verdict.tested();
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", tested.level() + "." + tested.group());
    xml.writeAttribute("name", legal(tested.title()));
    if (verdict.outcome() != Outcome.PASSED) {
      xml.writeStartElement(verdict.isViolation() ? "failure" : "skipped");
      String expected = verdict.expected().isEmpty()
          ? ""
          : "section " + tested.clause() + " expects " + verdict.expected() + ", but got ";
      xml.writeAttribute("message", legal(expected + verdict.got()));
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  /** Replaces characters that XML does not allow, such as most control characters. */
  private static String legal(String text) {
    return text.replaceAll("[^\\t\\n\\x20-\\uD7FF\\uE000-\\uFFFD]", "?");
  }
}
