package dev.repartee.lsp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Rpc;
import dev.repartee.json.Json;
import dev.repartee.lsp.handlers.AsyncLanguageClient;
import dev.repartee.lsp.handlers.AsyncLanguageServer;
import dev.repartee.lsp.handlers.LanguageClient;
import dev.repartee.lsp.handlers.LanguageServer;
import dev.repartee.lsp.types.DocumentDiagnosticReportPartialResult;
import dev.repartee.lsp.types.DocumentDiagnosticReportProgress;
import dev.repartee.lsp.types.Hover;
import dev.repartee.lsp.types.RelatedFullDocumentDiagnosticReport;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The generated types and messages match the final meta model of LSP 3.18. */
class MetaModelTest {
  /** The notification that the engine of core handles. */
  private static final String CANCEL = "$/cancelRequest";

  private static final Json MODEL = model();

  private static Json model() {
    try {
      return Json.parse(
          Files.readAllBytes(Path.of("src", "main", "meta-model", "metaModel-3.18.json")));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Json> all(String list) {
    return Objects.requireNonNull(MODEL.get(list)).elements();
  }

  private static String text(Json object, String name) {
    return Objects.requireNonNull(object.string(name), name);
  }

  private static List<Json> list(Json object, String name) {
    Json list = object.get(name);
    return list == null ? List.of() : list.elements();
  }

  @Test
  void theModelIsTheFinalOneOfVersion3_18() {
    assertThat(MODEL.get("metaData").string("version")).isEqualTo("3.18.0");
    assertThat(all("requests")).hasSize(69);
    assertThat(all("notifications")).hasSize(26);
    assertThat(MODEL.toString()).doesNotContain("\"proposed\"");
  }

  /** Returns whether each message to a side is a notification, by its method. */
  private static Map<String, Boolean> modelled(String direction) {
    Map<String, Boolean> messages = new TreeMap<>();
    for (String list : List.of("requests", "notifications")) {
      all(list).stream()
          .filter(each -> Set.of(direction, "both").contains(text(each, "messageDirection")))
          .forEach(each -> messages.put(text(each, "method"), list.equals("notifications")));
    }
    messages.remove(CANCEL);
    return messages;
  }

  private static Map<String, Boolean> generated(Class<?> side) {
    return Arrays.stream(side.getMethods())
        .map(method -> method.getAnnotation(Rpc.class))
        .collect(Collectors.toMap(Rpc::value, Rpc::notification));
  }

  @Test
  void eachSideHasTheRequestsAndNotificationsOfTheModel() {
    assertThat(generated(LanguageServer.class)).isEqualTo(modelled("clientToServer"));
    assertThat(generated(AsyncLanguageServer.class)).isEqualTo(modelled("clientToServer"));
    assertThat(generated(LanguageClient.class)).isEqualTo(modelled("serverToClient"));
    assertThat(generated(AsyncLanguageClient.class)).isEqualTo(modelled("serverToClient"));
  }

  @Test
  void eachMessageTakesTheParamsOfTheModel() {
    Map<String, String> params = new TreeMap<>();
    for (String list : List.of("requests", "notifications")) {
      all(list)
          .forEach(each -> params.put(
              text(each, "method"),
              each.get("params") == null ? "" : text(each.get("params"), "name")));
    }
    for (Class<?> side : List.of(LanguageServer.class, LanguageClient.class)) {
      for (Method method : side.getMethods()) {
        String taken = Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining());
        assertThat(taken)
            .as(method.getName())
            .isIn(params.get(method.getAnnotation(Rpc.class).value()), "Json");
      }
    }
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName(Hover.class.getPackageName() + "." + name);
    } catch (ClassNotFoundException e) {
      throw new AssertionError("no type " + name, e);
    }
  }

  private static Set<String> members(Json structure) {
    Map<String, Json> structures = all("structures").stream()
        .collect(Collectors.toMap(each -> text(each, "name"), each -> each));
    Set<String> members = new TreeSet<>();
    list(structure, "properties").forEach(each -> members.add(text(each, "name")));
    Stream.of("extends", "mixins")
        .flatMap(each -> list(structure, each).stream())
        .forEach(each ->
            members.addAll(members(Objects.requireNonNull(structures.get(text(each, "name"))))));
    return members;
  }

  @Test
  void eachStructureHasTheMembersOfTheModel() {
    for (Json structure : all("structures")) {
      String name = text(structure, "name");
      if (!name.startsWith("_")) { // a part of another one
        Set<String> accessors = Arrays.stream(type(name).getDeclaredMethods())
            .filter(each -> each.getParameterCount() == 0)
            .map(each -> each.getName().replace("default_", "default"))
            .collect(Collectors.toSet());
        assertThat(accessors).as(name).containsAll(members(structure));
      }
    }
  }

  @Test
  void eachEnumerationHasTheValuesOfTheModel() throws ReflectiveOperationException {
    for (Json enumeration : all("enumerations")) {
      Class<?> type = type(text(enumeration, "name"));
      Set<String> constants = new TreeSet<>();
      for (var field : type.getFields()) {
        constants.add(Json.of(field.get(null)).toString());
      }
      assertThat(constants)
          .as(type.getSimpleName())
          .isEqualTo(list(enumeration, "values").stream()
              .map(each -> String.valueOf(each.get("value")))
              .collect(Collectors.toCollection(TreeSet::new)));
    }
  }

  @Test
  void thePartialResultOfADiagnosticRequestIsAReportOrRelatedReports() {
    assertThat(Json.parse("{\"kind\":\"full\",\"items\":[]}")
            .as(DocumentDiagnosticReportProgress.class))
        .isEqualTo(new RelatedFullDocumentDiagnosticReport(List.of()));
    assertThat(Json.parse("{\"relatedDocuments\":{}}").as(DocumentDiagnosticReportProgress.class))
        .isEqualTo(new DocumentDiagnosticReportPartialResult(Map.of()));
  }
}
