package dev.repartee.acp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compares the model of the generator with the stable schema of version 1 in the official SDK for
 * TypeScript. {@code -Drepartee.acp.sdk} is the folder with its {@code node_modules}.
 */
@Tag("any-jdk")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SchemaTest {
  private static final Path MODEL = Path.of("src/main/model/acp-1.txt");

  /** The members of records, each with a question mark if it is optional. */
  private final Map<String, Set<String>> records = new TreeMap<>();

  private final Map<String, Set<String>> enums = new TreeMap<>();
  private final Set<String> methods = new TreeSet<>();
  private Json definitions;

  @BeforeEach
  void read() throws IOException {
    Path schema = Path.of(
        System.getProperty("repartee.acp.sdk", ""),
        "node_modules/@agentclientprotocol/sdk/schema/v1/schema.json");
    assumeTrue(Files.exists(schema), "-Drepartee.acp.sdk names no folder with the SDK of ACP");
    definitions = Json.parse(Files.readAllBytes(schema)).get("$defs");
    Set<String> members = Set.of();
    for (String line : Files.readAllLines(MODEL)) {
      String[] words = line.strip().split(" -- ", 2)[0].split(" ");
      if (line.startsWith(" ")) {
        members.add(words[0]);
      } else if (line.startsWith("record ")) {
        members = new TreeSet<>(Set.of("_meta?"));
        if (words.length > 2) {
          members.add(words[2].split("=")[0]);
        }
        records.put(words[1], members);
      } else if (line.startsWith("enum ")) {
        enums.put(words[1], new TreeSet<>(List.of(words).subList(2, words.length)));
      } else if (line.startsWith("request ") || line.startsWith("notification ")) {
        methods.add(words[1] + " " + words[2]);
      }
    }
  }

  @Test
  void theRecordsOfTheModelHaveTheMembersOfTheSchema() {
    Set<String> wrong = new TreeSet<>();
    records.forEach((name, known) -> {
      Json definition = definitions.get(name);
      boolean isPlain = definition != null
          && definition.get("properties") != null
          && definition.get("oneOf") == null
          && definition.get("anyOf") == null;
      if (isPlain) {
        Set<String> defined = members(definition);
        defined.stream().filter(each -> !known.contains(each)).forEach(each -> {
          wrong.add(name + " lacks " + each);
        });
      }
    });
    assertThat(records.keySet()).hasSizeGreaterThan(100);
    assertThat(wrong).isEmpty();
  }

  private static Set<String> members(Json definition) {
    Json required = definition.get("required");
    Set<String> names = new TreeSet<>();
    definition.get("properties").members().forEach((name, type) -> {
      boolean isRequired =
          required != null && required.elements().stream().anyMatch(Json.of(name)::equals);
      names.add(isRequired ? name : name + "?");
    });
    return names;
  }

  @Test
  void theModelHasTheMethodsOfTheSchemaAndNoOthers() {
    Set<String> defined = new TreeSet<>();
    definitions.members().forEach((name, definition) -> {
      Json method = definition.get("x-method");
      if (method != null) {
        defined.add(definition.string("x-side") + " " + method.string());
      }
    });
    defined.remove("protocol $/cancel_request"); // AcpDialect sends and receives it
    assertThat(methods).isEqualTo(defined);
  }

  @Test
  void theEnumsOfTheModelHaveTheValuesOfTheSchema() {
    enums.forEach((name, values) -> {
      Set<String> defined = new TreeSet<>();
      Json definition = definitions.get(name);
      Json choices =
          definition.get("oneOf") == null ? definition.get("anyOf") : definition.get("oneOf");
      choices.elements().forEach(choice -> {
        if (choice.string("const") != null) {
          defined.add(choice.string("const"));
        }
      });
      assertThat(values).as(name).isEqualTo(defined);
    });
  }
}
