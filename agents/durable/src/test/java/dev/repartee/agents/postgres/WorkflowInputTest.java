package dev.repartee.agents.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.ThreadContext;
import dev.repartee.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WorkflowInputTest {
  @Test
  void anInputThatWasStoredWithoutAContextIsRead() {
    WorkflowInput input =
        Json.parse("{\"plan\":\"{}\",\"input\":\"1\",\"records\":[]}").as(WorkflowInput.class);
    assertThat(input.context()).isEmpty();
    assertThat(input.thread()).isSameAs(ThreadContext.NONE);
  }

  @Test
  void aStoredContextThatIsNotReadableIsIgnored() {
    WorkflowInput input = new WorkflowInput(
        "{}", "1", List.of(), Optional.of(Map.of("traceparent", "x".repeat(1000))));
    assertThat(Json.parse(Json.of(input).toString()).as(WorkflowInput.class)).isEqualTo(input);
    assertThat(input.thread()).isSameAs(ThreadContext.NONE);
  }
}
