package dev.repartee.examples.everything;

import dev.repartee.Param;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.Tool.TaskSupport;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.InputRequest;
import dev.repartee.mcp.types.ToolException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Tools that run long. A client that supports tasks receives the handle of a task immediately, and
 * fetches the result later. Other clients receive the result of the same method when it has
 * finished.
 */
final class Tasks {
  record Consent(@Param(description = "Whether to go on") boolean confirm) {}

  record Person(
      @Param(description = "The name of the person") String name,
      @Param(description = "Whether to go on") boolean confirm) {}

  record Name(@Param(description = "Your name") String name) {}

  @Rpc("greet")
  @McpTool(value = "Greets without delay; never a task", readOnly = true, openWorld = false)
  public String greet(@Param(description = "The name to greet") String name) {
    return "Hello, " + name + "!";
  }

  @Rpc("slow_compute")
  @McpTool(
      value = "Computes for a while, and stops when it is cancelled",
      readOnly = true,
      openWorld = false,
      tasks = TaskSupport.OPTIONAL)
  public String compute(
      McpCall call,
      @Param(description = "The duration in seconds") double seconds,
      @Param(description = "A name for the computation") String label)
      throws InterruptedException {
    call.progress(0, seconds, "computing " + label);
    call.cancellation().sleep(Duration.ofMillis(Math.round(seconds * 1_000)));
    return "Computed " + label + " for " + seconds + " s";
  }

  @Rpc("failing_job")
  @McpTool(
      value = "Works for a second and fails, with an error text for the model",
      openWorld = false,
      tasks = TaskSupport.REQUIRED)
  public String fail(McpCall call) throws InterruptedException {
    call.cancellation().sleep(Duration.ofSeconds(1));
    throw new ToolException("The job has failed, as it always does.");
  }

  @Rpc("protocol_error_job")
  @McpTool(value = "Ends with a protocol error", openWorld = false, tasks = TaskSupport.OPTIONAL)
  public String error() {
    throw new RpcException(-32603, "The job cannot be run");
  }

  @Rpc("confirm_delete")
  @McpTool(
      value = "Asks whether to delete a file, and returns the decision; deletes nothing",
      openWorld = false,
      tasks = TaskSupport.OPTIONAL)
  public String delete(McpCall call, @Param(description = "The name of the file") String filename) {
    Elicitation question = Elicitation.form("Delete " + filename + "?", Consent.class);
    return call.elicit("confirm", question).isAccepted()
        ? "Deleted " + filename + " (not really)"
        : "Left " + filename + " alone";
  }

  @Rpc("multi_input")
  @McpTool(value = "Asks two people at once", openWorld = false, tasks = TaskSupport.OPTIONAL)
  public String together(McpCall call) {
    Map<String, InputRequest> questions = new LinkedHashMap<>();
    questions.put("first", Elicitation.form("Who is first?", Person.class));
    questions.put("second", Elicitation.form("Who is second?", Person.class));
    return "Answered: " + String.join(", ", call.ask(questions).keySet());
  }

  /** Needs a name before it can start: only the rest of the call becomes the task. */
  @Rpc("test_tool_with_task")
  @McpTool(value = "Asks for a name, and then continues as a task", detaching = true)
  public String greetSlowly(McpCall call) {
    String name = call.elicit("user_name", Elicitation.form("What is your name?", Name.class))
        .content(Name.class)
        .name();
    call.detach();
    return "Hello, " + name + "!";
  }
}
