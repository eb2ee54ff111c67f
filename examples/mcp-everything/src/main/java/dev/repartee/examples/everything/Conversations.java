package dev.repartee.examples.everything;

import dev.repartee.Param;
import dev.repartee.Rpc;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Sampling;
import java.util.UUID;

/**
 * Tools that ask the client a question and wait for its answer. A client with a session receives a
 * request for it. A client of revision 2026-07-28 receives the question as the result, and calls
 * the tool again with its answer. The methods are the same for both.
 */
@SuppressWarnings("deprecation") // of the specification, and still supported
final class Conversations {
  @Rpc("test_sampling")
  @McpTool("Lets the model of the client answer a prompt")
  public String sample(McpCall call, @Param(description = "What to ask") String prompt) {
    Sampling.Answer answer = call.sample("answer", Sampling.of(prompt, 100));
    return "LLM response: " + answer.text();
  }

  /** A form with one field for each component. */
  record Contact(
      @Param(description = "User's response") String username,
      @Param(description = "User's email address") String email) {}

  @Rpc("test_elicitation")
  @McpTool("Asks the user for name and email address")
  public String elicit(McpCall call, @Param(description = "What to say") String message) {
    Elicitation.Answer answer = call.elicit("contact", Elicitation.form(message, Contact.class));
    if (!answer.isAccepted()) {
      return "The user chose to " + answer.action();
    }
    Contact contact = answer.content(Contact.class);
    return "User response: " + contact.username() + " <" + contact.email() + ">";
  }

  private static final Json DEFAULTS = Json.parse("""
      {
        "type": "object",
        "properties": {
          "name": { "type": "string", "description": "User name", "default": "John Doe" },
          "age": { "type": "integer", "description": "User age", "default": 30 },
          "score": { "type": "number", "description": "User score", "default": 95.5 },
          "status": {
            "type": "string",
            "description": "User status",
            "enum": ["active", "inactive", "pending"],
            "default": "active"
          },
          "verified": { "type": "boolean", "description": "Is verified", "default": true }
        }
      }
      """);

  @Rpc("test_elicitation_sep1034_defaults")
  @McpTool("Shows a form that is filled in already")
  public String elicitDefaults(McpCall call) {
    return text(call.elicit("profile", Elicitation.form("Please check these values", DEFAULTS)));
  }

  private static final Json CHOICES = Json.parse("""
      {
        "type": "object",
        "properties": {
          "untitledSingle": {
            "type": "string",
            "enum": ["option1", "option2", "option3"]
          },
          "titledSingle": {
            "type": "string",
            "oneOf": [
              { "const": "value1", "title": "First Option" },
              { "const": "value2", "title": "Second Option" },
              { "const": "value3", "title": "Third Option" }
            ]
          },
          "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]
          },
          "untitledMulti": {
            "type": "array",
            "items": { "type": "string", "enum": ["option1", "option2", "option3"] }
          },
          "titledMulti": {
            "type": "array",
            "items": {
              "anyOf": [
                { "const": "value1", "title": "First Choice" },
                { "const": "value2", "title": "Second Choice" },
                { "const": "value3", "title": "Third Choice" }
              ]
            }
          }
        }
      }
      """);

  @Rpc("test_elicitation_sep1330_enums")
  @McpTool("Shows a form with all kinds of choices")
  public String elicitChoices(McpCall call) {
    return text(call.elicit("choices", Elicitation.form("Please choose", CHOICES)));
  }

  private static String text(Elicitation.Answer answer) {
    return "Elicitation completed: action=" + answer.action() + ", content=" + answer.content();
  }

  /**
   * A secret such as a password must not pass through the client. Therefore the user enters it on a
   * web page of the service.
   */
  @Rpc("sign_in")
  @McpTool("Sends the user to a page to sign in")
  public String signIn(McpCall call) {
    String id = call.once("id", () -> UUID.randomUUID().toString()).as(String.class);
    Elicitation page =
        Elicitation.url("Please sign in", "https://login.example.com/?ticket=" + id, id);
    Elicitation.Answer answer = call.elicit("page", page);
    return answer.isAccepted() ? "Thank you" : "Not signed in";
  }

  /** A client without sampling receives an error before any request is sent to it. */
  @Rpc("test_missing_capability")
  @McpTool("Needs a client that supports sampling")
  public String needsSampling(McpCall call) {
    return call.sample("answer", Sampling.of("Say hello", 20)).text();
  }

  /** The progress is sent as a stream of events; the question ends the stream. */
  @Rpc("test_streaming_elicitation")
  @McpTool("Reports progress, and asks the user whether to go on")
  public String askWhileStreaming(McpCall call) {
    call.progress(1, 2.0, "waiting for the user");
    Elicitation.Answer answer =
        call.elicit("go_on", Elicitation.form("Shall it go on?", Confirmation.class));
    return answer.isAccepted() ? "It went on" : "It stopped";
  }

  record Confirmation(
      @Param(description = "Whether to go on") boolean ok) {}
}
