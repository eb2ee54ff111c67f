package dev.repartee.generator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Generates the types of A2A from {@code a2a.proto}, and the class that reads and writes their JSON.
 * The build runs it before the compiler.
 */
public final class A2aGenerator {
  private static final Map<String, String> METHODS = Map.of(
      "AgentCard", """
            /** Returns a builder; the media types are {@code text/plain} at first. */
            public static AgentCardBuilder builder(String name, String description, String version) {
              return new AgentCardBuilder(name, description, version);
            }

            /** Returns a builder with the content of this card. */
            public AgentCardBuilder toBuilder() {
              return new AgentCardBuilder(this);
            }

          """,
      "AgentInterface", """
            /** The name of the binding with JSON-RPC. */
            public static final String JSON_RPC = "JSONRPC";

            /** Returns an address with the binding of JSON-RPC. */
            public static AgentInterface jsonRpc(String url, String protocolVersion) {
              return new AgentInterface(url, JSON_RPC, protocolVersion);
            }

          """,
      "AuthenticationInfo", """
            /** Returns the scheme without the credentials, which are a secret. */
            @Override
            public String toString() {
              return "AuthenticationInfo[" + scheme + "]";
            }

          """,
      "TaskPushNotificationConfig", """
            /** Returns ids and address without the secrets. */
            @Override
            public String toString() {
              return "TaskPushNotificationConfig[" + taskId + ", " + id + ", " + url + "]";
            }

          """,
      "SecurityScheme", """
            /** Returns a sentence for people; null for none. */
            @Nullable String description();

          """);

  private static final List<String> ENUMERATIONS = List.of("Role", "TaskState");

  /** The requests with an id alone are methods of the client. */
  private static final Set<String> SKIPPED = Set.of(
      "GetTaskRequest",
      "CancelTaskRequest",
      "SubscribeToTaskRequest",
      "GetTaskPushNotificationConfigRequest",
      "DeleteTaskPushNotificationConfigRequest",
      "ListTaskPushNotificationConfigsRequest",
      "ListTaskPushNotificationConfigsResponse",
      "GetExtendedAgentCardRequest",
      "StringList");

  /** The types that are written by hand: they have methods. */
  private static final Set<String> OWN = Set.of(
      "Artifact", "Instant", "Message", "Part", "Role", "SecurityRequirement", "Task", "TaskState");

  /** The types whose JSON is read and written by hand, too: one is flat, one has a wrapped list. */
  private static final List<String> OWN_JSON = List.of("Part", "SecurityRequirement");

  /** Some peers have no conversations; OpenAPI and version 0.3 require scopes. */
  private static final Map<String, Boolean> REQUIRED = Map.of(
      "AgentExtension.uri", true,
      "ImplicitOAuthFlow.scopes", true,
      "PasswordOAuthFlow.scopes", true,
      "TaskStatusUpdateEvent.contextId", false,
      "TaskArtifactUpdateEvent.contextId", false);

  private static final Protocol A2A = new Protocol("dev.repartee.a2a", METHODS, OWN);

  private A2aGenerator() {}

  /**
   * Expects at least two arguments: the file of the protocol, and the folder of the sources. A2A has
   * no templates and no metadata, the other arguments of the generators.
   */
  public static void main(String[] args) throws IOException {
    // A card of version 0.3 may have several flows.
    ProtoFile file = new ProtoFile(SKIPPED, Set.of("OAuthFlows", "Part"), REQUIRED)
        .read(Files.readAllLines(Path.of(args[0])));
    MetaModel model = file.model();
    Types types = new Types(model, A2A);
    model
        .typeAliases()
        .forEach(each -> types.shape(each.type(), each.name(), each.documentation()));
    Generator generator = new Generator(A2A);
    generator.records(model, types);
    generator.unions(types);
    file.unions().remove("SendMessageResponse"); // read and written as one of a stream
    generator.add(
        "wire",
        "ProtoJson",
        new ProtoJsonWriter(types, model, file.unions(), ENUMERATIONS)
            .source("ProtoJson", OWN_JSON));
    generator.store(Path.of(args[1]));
  }
}
