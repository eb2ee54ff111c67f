package dev.repartee.mcp;

import dev.repartee.Param;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceTemplate;
import java.util.concurrent.atomic.AtomicInteger;

/** A server for tests, in this process or in a separate one over standard input and output. */
public final class TestServer {
  private TestServer() {}

  public record Text(String text) {}

  public record Sum(int sum) {}

  /** Methods that are tools. */
  public static final class Arithmetic {
    @McpTool(value = "Adds two numbers", readOnly = true)
    public Sum add(@Param(value = "a", description = "the one") int a, @Param("b") int b) {
      return new Sum(a + b);
    }
  }

  /** Returns the settings of the server. */
  public static McpServer.Builder builder() {
    AtomicInteger running = new AtomicInteger();
    return McpServer.builder("test", "1")
        .instructions("Add things.")
        .tools(new Arithmetic())
        .tool(Tool.named("echo")
            .description("Says the same")
            .handle(Text.class, (call, input) -> input.text()))
        .tool(Tool.named("running")
            .description("Tells how many calls of work run")
            .handle((call, arguments) -> Integer.toString(running.get())))
        .tool(Tool.named("work")
            .description("Reports progress, without end if it is told so, until it is cancelled")
            .input(Json.parse("""
                {"type":"object","properties":{"endless":{"type":"boolean"}},"required":["endless"]}"""))
            .handle((call, arguments) -> {
              running.incrementAndGet();
              try {
                call.progress(1, 3);
                call.progress(2, 3);
                if (Json.TRUE.equals(arguments.get("endless"))) {
                  call.cancellation().sleep(java.time.Duration.ofMinutes(5));
                }
                call.progress(3, 3);
                return call.call().id() + " is done";
              } finally {
                running.decrementAndGet();
              }
            }))
        .tool(Tool.named("fail").description("Fails").handle((call, arguments) -> {
          throw new IllegalStateException("a secret of the server");
        }))
        .tool(Tool.named("greet")
            .description("Asks for a name, and greets")
            .handle((call, arguments) -> {
              Elicitation form = Elicitation.form("What is your name?", Json.parse("""
                  {"type":"object","properties":{"name":{"type":"string"}}}"""));
              Elicitation.Answer answer = call.elicit("name", form);
              return answer.isAccepted() ? "Hello, " + answer.content().get("name") : "Bye";
            }))
        .prompt(Prompt.named("review")
            .description("Reviews code")
            .required("code", "The code")
            .handle((call, arguments) -> "Review " + arguments.get("code")))
        .resource(
            Resource.of("test://one", "one", "The first", "text/plain"), call -> "This is one.")
        .template(
            ResourceTemplate.of("test://item/{id}", "item", "An item", "text/plain"),
            (call, uri, variables) -> "Item " + variables.get("id"));
  }

  /** Serves standard input and output. */
  public static void main(String[] args) throws Exception {
    builder().build().listen("stdio:").join();
  }
}
