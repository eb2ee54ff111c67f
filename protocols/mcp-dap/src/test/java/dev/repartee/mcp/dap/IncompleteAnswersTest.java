package dev.repartee.mcp.dap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.dap.DapErrors;
import dev.repartee.json.Json;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a debug adapter with answers that lack required members. */
@Timeout(60)
class IncompleteAnswersTest extends DebugSession {
  @Test
  void aNewValueThatIsNotReportedIsReadAgain() {
    script.answers.put("setVariable", (params, adapter) -> "{'result':'5','type':'int'}");
    launched();
    assertThat(structured(call("set_variable", "{'name':'n','value':'5'}")))
        .hasToString("{\"value\":\"5\"}");
  }

  @Test
  void aVariableThatCannotBeReadAgainIsReportedAsSet() {
    script.answers.put("setVariable", (params, adapter) -> {
      script.locals = List.of();
      return "{}";
    });
    launched();
    call("output", "{}");
    Json result = call("set_variable", "{'name':'n','value':'5'}");
    assertThat(structured(result)).isEqualTo(Json.EMPTY_OBJECT);
    assertThat(text(result))
        .isEqualTo("The variable was set, but the adapter did not report its new value.");
  }

  @Test
  void aRefusalToSetAVariableStaysAFailure() {
    script.answers.put("setVariable", (params, adapter) -> {
      throw DapErrors.error(1, "it is constant");
    });
    launched();
    assertThat(error(call("set_variable", "{'name':'n','value':'5'}"))).contains("it is constant");
  }

  @Test
  void anExpressionWithoutAResultHasNoValue() {
    script.answers.put("evaluate", (params, adapter) -> "{'variablesReference':null}");
    launched();
    call("output", "{}");
    Json result = call("evaluate", "{'expression':'n'}");
    assertThat(structured(result)).isEqualTo(Json.EMPTY_OBJECT);
    assertThat(text(result)).contains("the adapter did not report a value");
  }

  @Test
  void aFrameWithoutAnIdIsReportedAndNotUsed() {
    script.answers.put("stackTrace", (params, adapter) -> "{'stackFrames':[{'name':'work'}]}");
    Json stopped = launched();
    assertThat(structured(stopped).get("frame")).isNull();
    assertThat(text(stopped)).contains("The place is not known", "missing: id");
    assertThat(error(call("stack_trace", "{}")))
        .contains("'stackTrace' is not valid", "missing: id");
    assertThat(error(call("evaluate", "{'expression':'n'}"))).contains("missing: id");
    assertThat(script.seen).noneMatch(request -> request.startsWith("evaluate"));
  }
}
