package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.testkit.memory.HeapCost;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Arguments of any shape and size are validated within the bounds, or rejected with an explanation.
 */
@Timeout(60)
class ArgumentsTest {
  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  /** Returns a tool with an argument {@code v} of that schema. */
  private static Tool tool(String schema) {
    return Tool.named("t")
        .input(json("{'type':'object','properties':{'v':" + schema + "},'$defs':{"
            + "'loop':{'$ref':'#/$defs/loop'},"
            + "'twice':{'anyOf':[{'items':{'$ref':'#/$defs/twice'},'type':'array'},"
            + "{'items':{'$ref':'#/$defs/twice'},'type':'array'}]}}}"))
        .handle((call, arguments) -> null);
  }

  /**
   * Returns a tool with a schema of 2 to the power of 60 evaluations that do not read the value.
   */
  private static Tool doubling(String applicator) {
    String definitions = IntStream.range(0, 60)
        .mapToObj(i ->
            "'a" + i + "':" + applicator.replace("NEXT", "{'$ref':'#/$defs/a" + (i + 1) + "'}"))
        .collect(Collectors.joining(","));
    return Tool.named("t")
        .input(json("{'type':'object','properties':{'v':{'$ref':'#/$defs/a0'}},'$defs':{"
            + definitions + ",'a60':{}}}"))
        .handle((call, arguments) -> null);
  }

  private static @Nullable String fault(Tool tool, String value) {
    return tool.fault(json("{'v':" + value + "}"), () -> {});
  }

  /**
   * Validates arguments that need many times the memory of their text in the validator. Prints a
   * figure for each.
   */
  static final class Program {
    private Program() {}

    public static void main(String[] args) {
      String many = "[],".repeat(HeapCost.TEXT / 8) + "[]";
      String longName = "n".repeat(HeapCost.TEXT / 2);
      String lists = IntStream.range(0, 2_000)
          .mapToObj(i -> "'" + i + "':[1]")
          .collect(Collectors.joining(","));
      String deep = "{'c':[".repeat(200) + "]}".repeat(200);
      String tree =
          "{'type':'object','properties':{'c':{'type':'array','items':{'$ref':'#/$defs/twice'}}}}";
      print(
          "a long name",
          "{'additionalProperties':{'type':'object','additionalProperties':"
              + "{'type':'array','items':{'type':'number'}}}}",
          "{'" + longName + "':{" + lists + "}}");
      print(
          "numbers",
          "{'type':'array','items':{'type':'number','description':'one'}}",
          "[" + "1,".repeat(HeapCost.TEXT / 2) + "1]");
      print(
          "no numbers",
          "{'type':'array','items':{'type':'number'}}",
          "['" + "','".repeat(HeapCost.TEXT / 3) + "']");
      print(
          "none of many names",
          "{'type':'array','items':{'enum':[" + "'a',".repeat(1_000) + "'a']}}",
          "[" + "1,".repeat(HeapCost.TEXT / 2) + "1]");
      print(
          "objects",
          "{'items':{'properties':{'a':{'type':'integer'}},'additionalProperties':false}}",
          "[" + "{'a':1},".repeat(HeapCost.TEXT / 8) + "{}]");
      print("lists", "{'items':{'items':true}}", "[" + many + "]");
      print("trees", "{'items':" + tree + "}", "[" + (deep + ",").repeat(80) + "[]]");
      print("nested", "{'$ref':'#/$defs/twice'}", "[".repeat(490) + "]".repeat(490));
      print("a deep value", "true", "[".repeat(480) + "'" + longName + "'" + "]".repeat(480));
    }

    private static void print(String name, String schema, String value) {
      String fault = fault(tool(schema), value);
      System.out.println(name + "\t" + (fault == null ? 0 : fault.length()));
    }
  }

  @Test
  void validationTakesNoMoreMemoryThanTheSizeOfTheArgumentsAllows() throws Exception {
    Map<String, Double> told = HeapCost.measuredBy(Program.class);
    assertThat(told).hasSize(9);
    assertThat(told).allSatisfy((name, length) -> assertThat(length).as(name).isLessThan(2_000));
    assertThat(told)
        .containsEntry("a long name", 0.0)
        .containsEntry("numbers", 0.0)
        .containsEntry("lists", 0.0)
        .containsEntry("objects", 0.0);
  }

  @Test
  void uniqueItemsIsCheckedInALargeArray() {
    Tool tool = tool("{'type':'array','uniqueItems':true}");
    String numbers =
        IntStream.range(0, 100_000).mapToObj(String::valueOf).collect(Collectors.joining(","));
    assertThat(fault(tool, "[" + numbers + "]")).isNull();
    assertThat(fault(tool, "[" + numbers + ",7]")).contains("/v: ", "[100000]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "[1,1.0];true",
        "[100,1e2];true",
        "[0,-0.0];true",
        "[1e400,10e399];true",
        "[{'a':1,'b':2},{'b':2,'a':1}];true",
        "[[1,2],[2,1]];false",
        "[1,'1'];false",
        "['a','a'];true",
        "[null,'null'];false",
        "[[],{}];false",
        "[['a','b'],['a,b']];false",
        "[{'a':'b'},{'a':{'b':1}}];false"
      })
  void valuesAreEqualAsJsonSchemaDefines(String values, boolean same) {
    assertThat(fault(tool("{'uniqueItems':true}"), values) != null).isEqualTo(same);
    List<Json> both = json(values).elements();
    for (String keyword : List.of("{'enum':[7,%s]}", "{'const':%s}")) {
      Tool tool = tool(keyword.formatted(both.get(0)));
      assertThat(fault(tool, both.get(1).toString()) == null).as(keyword).isEqualTo(same);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{'pattern':'^(a+)+$'};a;takes too long to be checked",
        "{'propertyNames':{'pattern':'^(a+)+$'}};{;takes too long to be checked",
        "{'pattern':'^([a-z]|[0-9])*$'};x;is too long to be matched with",
        "{'$ref':'#/$defs/loop'};1;refers to itself without an end",
        "{'$ref':'#/$defs/twice'};[;needs too much memory",
        "{'type':'number'};1e99999;expected a number of at most 1000 digits",
      })
  void argumentsThatCannotBeCheckedAreRejectedWithAReason(String schema, String kind, String told) {
    String value = switch (kind) {
      case "a" -> "'" + "a".repeat(1_000) + "!'";
      case "{" -> "{'" + "a".repeat(1_000) + "!':1}";
      case "x" -> "'" + "x".repeat(100_000) + "'";
      case "[" -> "[".repeat(60) + "1" + "]".repeat(60);
      default -> kind;
    };
    assertThat(fault(tool(schema), value)).contains(told).hasSizeLessThan(1_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'allOf':[NEXT,NEXT]}",
        "{'anyOf':[{'not':NEXT},NEXT]}",
        "{'oneOf':[NEXT,{'not':NEXT}]}",
        "{'if':NEXT,'then':NEXT}",
        "{'not':NEXT,'allOf':[NEXT]}"
      })
  void evaluationsThatReadNothingCountTowardsTheBound(String applicator) {
    assertThat(fault(doubling(applicator), "1"))
        .matches("the value (takes too long|needs too much memory) to be checked");
  }

  @Test
  void cancellingACallStopsEvaluationsThatReadNothing() {
    Tool tool = doubling("{'allOf':[NEXT,NEXT]}");
    AtomicInteger looks = new AtomicInteger();
    assertThatThrownBy(() -> tool.fault(json("{'v':1}"), () -> {
          if (looks.incrementAndGet() == 3) {
            throw new CancellationException();
          }
        }))
        .isInstanceOf(CancellationException.class);
  }

  @Test
  void aCancelledCallIsNotValidatedAfterItsArgumentsWereParsed() {
    assertThatThrownBy(() -> tool("true").fault(json("{'v':1}"), () -> {
          throw new CancellationException();
        }))
        .isInstanceOf(CancellationException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{'type':'integer'};1.%s",
        "{'maximum':0};1.%s",
        "{'multipleOf':7};%s",
        "{'const':1};%s",
        "{'uniqueItems':true};[%s]",
        "{'maxLength':1};'%1$s%1$s%1$s%1$s%1$s%1$s'",
      })
  void aLongNumberOrTextCountsItsLength(String schema, String element) {
    Tool tool = tool("{'items':" + schema + "}");
    assertThat(looks(tool, element.formatted("3".repeat(990))))
        .isGreaterThanOrEqualTo(looks(tool, element.formatted("3")) + 2);
  }

  /** Returns the number of checks of the cancellation for an array of 200 such elements. */
  private static int looks(Tool tool, String element) {
    AtomicInteger looks = new AtomicInteger();
    tool.fault(
        json("{'v':[" + (element + ",").repeat(199) + element + "]}"), looks::incrementAndGet);
    return looks.get();
  }

  @Test
  void cancellingACallStopsItsValidation() {
    Tool tool = tool("{'pattern':'^(a+)+$'}");
    Json arguments = json("{'v':'" + "a".repeat(1_000) + "!'}");
    assertThatThrownBy(() -> tool.fault(arguments, () -> {
          throw new CancellationException();
        }))
        .isInstanceOf(CancellationException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{'maxLength':1}", "{'pattern':'^b$'}", "{'type':'integer'}"})
  void anErrorShowsTheBeginningOfALongValue(String schema) {
    assertThat(Objects.requireNonNull(fault(tool(schema), "'" + "a".repeat(1 << 20) + "'")))
        .startsWith("/v: ")
        .hasSizeLessThan(500);
  }

  @Test
  void aMemberThatStandsTwiceIsRefused() {
    assertThat(fault(tool("{'type':'object'}"), "{'a':1,'a':2}")).contains("'a' occurs twice");
  }

  @Test
  void keywordsThatDependOnOtherKeywordsSeeThem() {
    Tool tool = tool("{'properties':{'a':true},'patternProperties':{'^x':true},"
        + "'allOf':[{'properties':{'b':{'prefixItems':[true],'unevaluatedItems':false}}}],"
        + "'unevaluatedProperties':false,'propertyNames':{'maxLength':3}}");
    assertThat(fault(tool, "{'a':1,'x1':1,'b':[1]}")).isNull();
    assertThat(fault(tool, "{'c':1}")).contains("/v/c: ");
    assertThat(fault(tool, "{'b':[1,2]}")).contains("/v/b/1: ");
    assertThat(fault(tool, "{'x234':1}")).contains("/v/x234: ");
  }
}
