package dev.repartee.examples.everything;

import dev.repartee.Param;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Prompt;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.PromptMessage;
import dev.repartee.mcp.types.PromptResult;
import dev.repartee.mcp.types.ResourceContents;
import dev.repartee.mcp.types.Role;
import java.util.List;

/** Prompts, which users choose to begin a conversation. */
final class Phrases {
  private Phrases() {}

  static void addTo(McpServer.Builder server) {
    server.prompt(Prompt.named("test_simple_prompt")
        .description("Says one line")
        .handle((call, arguments) -> "This is a simple prompt for testing."));
    server.prompt(withArguments());
    server.prompt(Prompt.named("test_prompt_with_embedded_resource")
        .description("Contains a resource to work on")
        .required("resourceUri", "The URI of the resource")
        .handle((call, arguments) -> List.of(
            Content.embedded(ResourceContents.text(
                arguments.getOrDefault("resourceUri", ""),
                "text/plain",
                "Embedded resource content for testing.")),
            Content.text("Please process the embedded resource above."))));
    server.prompt(Prompt.named("test_prompt_with_image")
        .description("Shows a picture to look at")
        .icons(Media.ICON)
        .handle((call, arguments) -> List.of(
            Content.image(Media.PICTURE, "image/png"),
            Content.text("Please analyze the image above."))));
    server.prompt(conversation());
    server.prompt(Prompt.named("test_input_required_result_prompt")
        .description("Asks the user for its content")
        .handle((call, arguments) -> {
          Elicitation question =
              Elicitation.form("What context should the prompt use?", Context.class);
          Context context = call.elicit("user_context", question).content(Context.class);
          return "Keep in mind: " + context.context();
        }));
  }

  record Context(
      @Param(description = "The context to keep in mind") String context) {}

  /** Completes its arguments: while the user types one, the client asks for suggestions. */
  private static Prompt withArguments() {
    List<String> known = List.of("paris", "park", "party", "test", "testimony");
    return Prompt.named("test_prompt_with_arguments")
        .title("Two arguments")
        .description("Repeats its arguments")
        .required("arg1", "First test argument")
        .completedBy((typed, others) -> starting(known, typed))
        .required("arg2", "Second test argument")
        .completedBy((typed, others) ->
            starting(List.of("after-" + others.getOrDefault("arg1", "nothing")), typed))
        .handle((call, arguments) -> "Prompt with arguments: arg1='" + arguments.get("arg1")
            + "', arg2='" + arguments.get("arg2") + "'");
  }

  private static List<String> starting(List<String> values, String typed) {
    return values.stream().filter(value -> value.startsWith(typed)).toList();
  }

  /** A prompt with messages of both roles. */
  private static Prompt conversation() {
    return Prompt.named("interview")
        .description("Begins an interview")
        .optional("topic", "The topic of the interview; any if it is missing")
        .handle((call, arguments) -> new PromptResult(
            "The beginning of an interview",
            List.of(
                new PromptMessage(Role.USER, Content.text("Please ask me a question.")),
                new PromptMessage(
                    Role.ASSISTANT,
                    Content.text("What do you think of "
                        + arguments.getOrDefault("topic", "this and that") + "?")))));
  }
}
