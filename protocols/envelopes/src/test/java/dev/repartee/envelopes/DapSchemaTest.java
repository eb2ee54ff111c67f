package dev.repartee.envelopes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.harrel.jsonschema.Dialects;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.repartee.Lane;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.json.Json;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The messages that are sent match the JSON schema of the Debug Adapter Protocol. */
class DapSchemaTest {
  private static final Path FILE = Path.of(
      System.getProperty("repartee.root"),
      "protocols/dap/src/main/schema/debugAdapterProtocol.json");
  private static final URI SCHEMA = URI.create("urn:dap");

  private static Validator validator;
  private static Json definitions;

  @BeforeAll
  static void read() throws Exception {
    String text = Files.readString(FILE);
    validator =
        new ValidatorFactory().withDefaultDialect(new Dialects.Draft4Dialect()).createValidator();
    validator.registerSchema(SCHEMA, text);
    definitions = Json.parse(text).get("definitions");
  }

  private static void matches(String type, String message) {
    URI definition = URI.create(SCHEMA + "#/definitions/" + type);
    Validator.Result result = validator.validate(definition, message);
    assertThat(result.isValid()).as(type + ": " + message + result.getErrors()).isTrue();
  }

  private static Set<String> names(String suffix, String member) {
    Set<String> names = new TreeSet<>();
    definitions.members().forEach((type, schema) -> {
      Json all = schema.get("allOf");
      if (all != null && type.endsWith(suffix)) {
        Json name = all.at(1).get("properties").get(member);
        Json values = name == null ? null : name.get("enum");
        if (values != null) {
          names.add(values.at(0).as(String.class));
        }
      }
    });
    return names;
  }

  @Test
  void everyRequestAndItsAnswersAreThoseOfTheSchema() {
    Set<String> commands = names("Request", "command");
    assertThat(commands).hasSize(45).contains("initialize", "runInTerminal", "cancel");
    Service.Builder adapter = Service.builder();
    for (String command : commands) {
      if (!command.equals("cancel")) {
        adapter.method(command, Lane.INLINE, call -> {
          if (call.params() != null) {
            throw new RpcException(1, "{no} such variable", Json.of(7));
          }
          return Map.of("a", 1);
        });
      }
    }
    try (Talk client = Talk.withClient(new Dap());
        Talk server = Talk.withServer(new Dap(), adapter.build())) {
      for (String command : commands) {
        client.peer.request(command).send(Json.class);
        client.peer.request(command).arg("x", 1).send(Json.class);
        for (int i = 0; i < 2; i++) {
          String request = client.other.receive();
          matches("Request", request);
          server.other.send(request);
          String response = server.other.receive();
          boolean fails = i == 1 && !command.equals("cancel");
          matches(fails ? "ErrorResponse" : "Response", response);
          assertThat(Json.parse(response).get("success").as(boolean.class)).isEqualTo(!fails);
          assertThat(Json.parse(response).get("request_seq"))
              .isEqualTo(Json.parse(request).get("seq"));
        }
      }
    }
  }

  @Test
  void everyEventIsThatOfTheSchema() {
    Set<String> events = names("Event", "event");
    assertThat(events).hasSize(17).contains("initialized", "stopped");
    try (Talk adapter = Talk.withServer(new Dap(), Service.builder().build())) {
      for (String event : events) {
        adapter.peer.notify(event);
        adapter.peer.request(event).arg("reason", "x").sendNotification();
        matches("Event", adapter.other.receive());
        matches("Event", adapter.other.receive());
      }
    }
  }
}
