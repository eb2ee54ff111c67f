package dev.repartee.examples.everything;

import dev.repartee.Param;
import dev.repartee.Rpc;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.InputRequest;
import dev.repartee.mcp.types.Root;
import dev.repartee.mcp.types.RootsRequest;
import dev.repartee.mcp.types.Sampling;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Tools that ask several questions, one after the other or together. When such a tool runs again,
 * it knows the earlier answers and the results of {@link McpCall#once once}: the client sends this
 * state back, sealed.
 */
@SuppressWarnings("deprecation") // of the specification, and still supported
final class Rounds {
  record Name(@Param(description = "Your name") String name) {}

  record Color(@Param(description = "Your favorite color") String color) {}

  record Confirmation(
      @Param(description = "True to confirm") boolean ok) {}

  private static final Elicitation ASK_NAME = Elicitation.form("What is your name?", Name.class);
  private static final Elicitation CONFIRM = Elicitation.form("Please confirm", Confirmation.class);

  @Rpc("test_input_required_result_elicitation")
  @McpTool("Asks the user for a name")
  public String name(McpCall call) {
    return "Hello, " + call.elicit("user_name", ASK_NAME).content(Name.class).name() + "!";
  }

  @Rpc("test_input_required_result_sampling")
  @McpTool("Asks the model of the client for a capital")
  public String capital(McpCall call) {
    return call.sample("capital_question", Sampling.of("What is the capital of France?", 100))
        .text();
  }

  @Rpc("test_input_required_result_list_roots")
  @McpTool("Lists the roots of the client")
  public String roots(McpCall call) {
    return call.roots("client_roots").stream()
        .map(Root::uri)
        .collect(Collectors.joining(", ", "Roots: ", ""));
  }

  @Rpc("test_input_required_result_request_state")
  @McpTool("Draws a ticket, asks the user to confirm, and still knows the ticket then")
  public String state(McpCall call) {
    String ticket = call.once("ticket", () -> UUID.randomUUID().toString()).as(String.class);
    call.elicit("confirm", CONFIRM);
    return "state-ok: ticket " + ticket;
  }

  @Rpc("test_input_required_result_tampered_state")
  @McpTool("Asks for a confirmation; refuses a state that the client has changed")
  public String tampered(McpCall call) {
    boolean ok = call.elicit("confirm", CONFIRM).content(Confirmation.class).ok();
    return ok ? "Confirmed" : "Not confirmed";
  }

  @Rpc("test_input_required_result_multi_round")
  @McpTool("Asks for a name, and then for a color")
  public String rounds(McpCall call) {
    String name = call.elicit("step1", ASK_NAME).content(Name.class).name();
    Elicitation question =
        Elicitation.form("What is your favorite color, " + name + "?", Color.class);
    return name + " likes "
        + call.elicit("step2", question).content(Color.class).color();
  }

  @Rpc("test_input_required_result_multiple_inputs")
  @McpTool("Asks the user, the model and the client at once")
  public String together(McpCall call) {
    Map<String, InputRequest> questions = new LinkedHashMap<>();
    questions.put("user_name", ASK_NAME);
    questions.put("greeting", Sampling.of("Generate a greeting", 50));
    questions.put("client_roots", new RootsRequest());
    return text(call.ask(questions));
  }

  /** Asks only questions that the client has declared to support. */
  @Rpc("test_input_required_result_capabilities")
  @McpTool("Asks the questions that the client supports")
  public String capabilities(McpCall call) {
    Map<String, InputRequest> questions = new LinkedHashMap<>();
    if (call.capabilities().elicitation()) {
      questions.put("user_name", ASK_NAME);
    }
    if (call.capabilities().sampling()) {
      questions.put("greeting", Sampling.of("Generate a greeting", 50));
    }
    return text(call.ask(questions));
  }

  private static String text(Map<String, Json> answers) {
    return answers.entrySet().stream()
        .map(answer -> answer.getKey() + ": " + answer.getValue())
        .collect(Collectors.joining("\n"));
  }
}
