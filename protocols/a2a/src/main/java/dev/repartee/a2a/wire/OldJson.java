package dev.repartee.a2a.wire;

import dev.repartee.a2a.types.APIKeySecurityScheme;
import dev.repartee.a2a.types.AgentCapabilities;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentCardBuilder;
import dev.repartee.a2a.types.AgentInterface;
import dev.repartee.a2a.types.AgentSkill;
import dev.repartee.a2a.types.AuthenticationInfo;
import dev.repartee.a2a.types.AuthorizationCodeOAuthFlow;
import dev.repartee.a2a.types.HTTPAuthSecurityScheme;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.MutualTlsSecurityScheme;
import dev.repartee.a2a.types.OAuth2SecurityScheme;
import dev.repartee.a2a.types.OAuthFlows;
import dev.repartee.a2a.types.OpenIdConnectSecurityScheme;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.SecurityRequirement;
import dev.repartee.a2a.types.SecurityScheme;
import dev.repartee.a2a.types.SendMessageConfiguration;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskArtifactUpdateEvent;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes params and results in the JSON of version 0.3 (its schema {@code a2a.json}). It
 * also reads cards of version 1.0.
 */
final class OldJson extends A2aJson {
  /** The member that wraps data in an object, because in this version data must be objects. */
  private static final String VALUE = "value";

  OldJson(boolean strict) {
    super(strict);
  }

  @Override
  public ProtocolVersion version() {
    return ProtocolVersion.V0_3;
  }

  // ---------------------------------------------------------------- results and events

  @Override
  public Json event(StreamResponse event, boolean last) {
    JsonObjectBuilder out = writeStreamResponse(event);
    return (event instanceof TaskStatusUpdateEvent ? out.put("final", last) : out).build();
  }

  @Override
  JsonObjectBuilder writeStreamResponse(StreamResponse event) {
    if (event instanceof Task task) {
      return writeTask(task);
    } else if (event instanceof Message message) {
      return writeMessage(message);
    } else if (event instanceof TaskStatusUpdateEvent update) {
      return writeTaskStatusUpdateEvent(update);
    }
    return writeTaskArtifactUpdateEvent((TaskArtifactUpdateEvent) event);
  }

  @Override
  @Nullable StreamResponse readStreamResponse(Members in) {
    return switch (in.string("kind")) {
      case "task" -> readTask(in);
      case "message" -> readMessage(in);
      case "status-update" -> readTaskStatusUpdateEvent(in);
      case "artifact-update" -> readTaskArtifactUpdateEvent(in);
      default -> null;
    };
  }

  @Override
  JsonObjectBuilder writeTask(Task task) {
    return super.writeTask(task)
        .put("kind", "task")
        .put("contextId", task.contextId() == null ? "" : null);
  }

  @Override
  JsonObjectBuilder writeMessage(Message message) {
    return super.writeMessage(message).put("kind", "message");
  }

  @Override
  JsonObjectBuilder writeTaskStatusUpdateEvent(TaskStatusUpdateEvent update) {
    return super.writeTaskStatusUpdateEvent(update).put("kind", "status-update");
  }

  @Override
  JsonObjectBuilder writeTaskArtifactUpdateEvent(TaskArtifactUpdateEvent update) {
    return super.writeTaskArtifactUpdateEvent(update).put("kind", "artifact-update");
  }

  // ---------------------------------------------------------------- parts

  @Override
  JsonObjectBuilder writePart(Part part) {
    JsonObjectBuilder out = new JsonObjectBuilder();
    if (part instanceof Part.Text text) {
      out.put("kind", "text").put("text", text.text());
    } else if (part instanceof Part.Raw file) {
      out.put("kind", "file").put("file", file(file).put("bytes", base64(file)).build());
    } else if (part instanceof Part.Url file) {
      out.put("kind", "file").put("file", file(file).put("uri", file.url()).build());
    } else {
      Json data = ((Part.Data) part).data();
      boolean isObject = data.kind() == Json.Kind.OBJECT;
      out.put("kind", "data")
          .put(
              "data", isObject ? data : new JsonObjectBuilder().put(VALUE, data).build());
    }
    return out.put("metadata", part.metadata());
  }

  private static JsonObjectBuilder file(Part part) {
    return new JsonObjectBuilder().put("name", part.filename()).put("mimeType", part.mediaType());
  }

  @Override
  Part readPart(Members in) {
    Json metadata = in.object("metadata");
    String kind = in.optionalString("kind");
    switch (kind == null ? "" : kind) {
      case "text":
        String text = in.optionalString("text");
        if (text == null) {
          throw in.missing("text");
        }
        return new Part.Text(text, metadata, null, null);
      case "file":
        return in.required("file", file -> readFile(file, metadata));
      case "data":
        Json data = in.object("data");
        if (data == null) {
          throw in.missing("data");
        }
        return new Part.Data(data, metadata, null, null);
      default:
        throw in.invalid("kind", "has to be text, file or data");
    }
  }

  private static Part readFile(Members in, @Nullable Json metadata) {
    String name = in.given("name");
    String mediaType = in.given("mimeType");
    if (in.has("bytes")) {
      return new Part.Raw(in.bytes("bytes"), metadata, name, mediaType);
    }
    String uri = in.given("uri");
    if (uri == null) {
      throw in.invalid("uri", "a file needs bytes or uri");
    }
    return new Part.Url(uri, metadata, name, mediaType);
  }

  // ---------------------------------------------------------------- requests

  @Override
  JsonObjectBuilder writeSendMessageRequest(SendMessageRequest request) {
    return super.writeSendMessageRequest(request.withTenant(null));
  }

  @Override
  SendMessageConfiguration readSendMessageConfiguration(Members in) {
    return new SendMessageConfiguration(
        in.stringList("acceptedOutputModes"),
        in.optional("pushNotificationConfig", this::readTaskPushNotificationConfig),
        in.count("historyLength"),
        Boolean.FALSE.equals(in.optionalFlag("blocking")));
  }

  @Override
  JsonObjectBuilder writeSendMessageConfiguration(SendMessageConfiguration wishes) {
    return super.writeSendMessageConfiguration(wishes.withReturnImmediately(false))
        .rename("taskPushNotificationConfig", "pushNotificationConfig")
        .put("blocking", !wishes.returnImmediately());
  }

  @Override
  public Json taskParams(String id, @Nullable String tenant, @Nullable Integer historyLength) {
    return super.taskParams(id, null, historyLength);
  }

  // ---------------------------------------------------------------- push notifications

  /** Reads a configuration without its task. */
  @Override
  TaskPushNotificationConfig readTaskPushNotificationConfig(Members in) {
    return new TaskPushNotificationConfig(
        null,
        in.given("id"),
        null,
        in.string("url"),
        in.given("token"),
        in.optional("authentication", this::readAuthenticationInfo));
  }

  /** Writes a configuration without its task. */
  @Override
  JsonObjectBuilder writeTaskPushNotificationConfig(TaskPushNotificationConfig config) {
    return super.writeTaskPushNotificationConfig(config.withTenant(null).withTaskId(null));
  }

  @Override
  AuthenticationInfo readAuthenticationInfo(Members in) {
    List<String> schemes = in.stringList("schemes");
    if (schemes.isEmpty()) {
      throw in.invalid("schemes", "needs at least one scheme");
    }
    return new AuthenticationInfo(schemes.get(0), in.given("credentials"));
  }

  @Override
  JsonObjectBuilder writeAuthenticationInfo(AuthenticationInfo by) {
    return super.writeAuthenticationInfo(by)
        .rename("scheme", "schemes")
        .put("schemes", List.of(by.scheme()));
  }

  @Override
  public TaskPushNotificationConfig readConfig(@Nullable Json params) {
    return readTaskConfig(members("", params));
  }

  @Override
  public TaskPushNotificationConfig readConfigResult(Json result) {
    return readTaskConfig(members("result", result));
  }

  private TaskPushNotificationConfig readTaskConfig(Members in) {
    String taskId = in.string("taskId");
    return in.required("pushNotificationConfig", this::readTaskPushNotificationConfig)
        .withTaskId(taskId);
  }

  @Override
  public Json config(TaskPushNotificationConfig config) {
    return new JsonObjectBuilder()
        .put("taskId", config.taskId())
        .put("pushNotificationConfig", super.config(config))
        .build();
  }

  @Override
  public TaskParams readConfigId(@Nullable Json params, boolean optional) {
    Members in = members("", params);
    String config =
        optional ? in.given("pushNotificationConfigId") : in.string("pushNotificationConfigId");
    return new TaskParams(in.string("id"), config, null);
  }

  @Override
  public Json configId(String taskId, @Nullable String id) {
    return new JsonObjectBuilder()
        .put("id", taskId)
        .put("pushNotificationConfigId", id)
        .build();
  }

  @Override
  public String readConfigList(@Nullable Json params) {
    return members("", params).string("id");
  }

  @Override
  public Json configs(List<TaskPushNotificationConfig> configs) {
    return Json.of(configs.stream().map(this::config).toList());
  }

  @Override
  public List<TaskPushNotificationConfig> readConfigs(Json result) {
    return result.elements().stream().map(this::readConfigResult).toList();
  }

  // ---------------------------------------------------------------- cards

  @Override
  AgentCard readAgentCard(Members in) {
    AgentCard card = super.readAgentCard(in);
    AgentCardBuilder out = card.toBuilder();
    if (!in.has("supportedInterfaces")) {
      out.interfaces(readInterfaces(in).toArray(AgentInterface[]::new));
    }
    if (in.flag("supportsAuthenticatedExtendedCard")) {
      out.extendedAgentCard();
    }
    return out.build().withSecurityRequirements(readRequirements(in, card.securityRequirements()));
  }

  private static Set<AgentInterface> readInterfaces(Members in) {
    String given = in.given("protocolVersion");
    String version = given == null ? "0.3" : given;
    Set<AgentInterface> all = new LinkedHashSet<>();
    String url = in.given("url");
    if (url != null) {
      String transport = in.given("preferredTransport");
      all.add(new AgentInterface(
          url, transport == null ? AgentInterface.JSON_RPC : transport, version));
    }
    all.addAll(in.list(
        "additionalInterfaces",
        each -> new AgentInterface(each.string("url"), each.string("transport"), version)));
    return all;
  }

  @Override
  JsonObjectBuilder writeAgentCard(AgentCard card) {
    List<AgentInterface> old = card.supportedInterfaces().stream()
        .filter(each -> ProtocolVersion.of(each.protocolVersion()) == ProtocolVersion.V0_3)
        .toList();
    AgentInterface first = old.isEmpty() ? null : old.get(0);
    return super.writeAgentCard(card.withSupportedInterfaces(old))
        .rename("supportedInterfaces", "additionalInterfaces")
        .rename("securityRequirements", "security")
        .put("url", first == null ? null : first.url())
        .put("preferredTransport", first == null ? null : first.protocolBinding())
        .put("protocolVersion", first == null ? null : "0.3.0")
        .put(
            "supportsAuthenticatedExtendedCard",
            Boolean.TRUE.equals(card.capabilities().extendedAgentCard()) ? Json.TRUE : null);
  }

  @Override
  JsonObjectBuilder writeAgentInterface(AgentInterface at) {
    return new JsonObjectBuilder().put("url", at.url()).put("transport", at.protocolBinding());
  }

  @Override
  JsonObjectBuilder writeAgentCapabilities(AgentCapabilities can) {
    return super.writeAgentCapabilities(can.withExtendedAgentCard(null));
  }

  @Override
  AgentSkill readAgentSkill(Members in) {
    AgentSkill skill = super.readAgentSkill(in);
    return skill.withSecurityRequirements(readRequirements(in, skill.securityRequirements()));
  }

  @Override
  JsonObjectBuilder writeAgentSkill(AgentSkill skill) {
    return super.writeAgentSkill(skill).rename("securityRequirements", "security");
  }

  private static List<SecurityRequirement> readRequirements(
      Members in, List<SecurityRequirement> ofNewVersion) {
    if (in.has("securityRequirements")) {
      return ofNewVersion;
    }
    return in.list("security", each -> {
      Map<String, List<String>> schemes = new LinkedHashMap<>();
      each.members().keySet().forEach(name -> schemes.put(name, each.stringList(name)));
      return new SecurityRequirement(schemes);
    });
  }

  @Override
  JsonObjectBuilder writeSecurityRequirement(SecurityRequirement requirement) {
    JsonObjectBuilder out = new JsonObjectBuilder();
    requirement.schemes().forEach(out::put);
    return out;
  }

  /** Returns null for a scheme of a later version. */
  @Override
  @Nullable SecurityScheme readSecurityScheme(Members in) {
    SecurityScheme scheme = super.readSecurityScheme(in);
    if (scheme != null) {
      return scheme;
    }
    return switch (in.string("type")) {
      case "apiKey" -> readAPIKeySecurityScheme(in).withLocation(in.string("in"));
      case "http" -> readHTTPAuthSecurityScheme(in);
      case "oauth2" -> readOAuth2SecurityScheme(in);
      case "openIdConnect" -> readOpenIdConnectSecurityScheme(in);
      case "mutualTLS" -> readMutualTlsSecurityScheme(in);
      default -> null;
    };
  }

  @Override
  JsonObjectBuilder writeSecurityScheme(SecurityScheme scheme) {
    if (scheme instanceof APIKeySecurityScheme key) {
      return new JsonObjectBuilder()
          .put("type", "apiKey")
          .put("in", key.location())
          .put("name", key.name())
          .put("description", key.description());
    } else if (scheme instanceof HTTPAuthSecurityScheme http) {
      return writeHTTPAuthSecurityScheme(http).put("type", "http");
    } else if (scheme instanceof OAuth2SecurityScheme oauth) {
      return writeOAuth2SecurityScheme(oauth).put("type", "oauth2");
    } else if (scheme instanceof OpenIdConnectSecurityScheme open) {
      return writeOpenIdConnectSecurityScheme(open).put("type", "openIdConnect");
    }
    return writeMutualTlsSecurityScheme((MutualTlsSecurityScheme) scheme).put("type", "mutualTLS");
  }

  @Override
  JsonObjectBuilder writeOAuthFlows(OAuthFlows flows) {
    return super.writeOAuthFlows(flows.withDeviceCode(null));
  }

  @Override
  JsonObjectBuilder writeAuthorizationCodeOAuthFlow(AuthorizationCodeOAuthFlow flow) {
    return super.writeAuthorizationCodeOAuthFlow(flow.withPkceRequired(false));
  }
}
