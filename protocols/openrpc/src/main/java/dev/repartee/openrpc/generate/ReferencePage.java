package dev.repartee.openrpc.generate;

import dev.repartee.json.Json;
import dev.repartee.json.JsonLayout;
import dev.repartee.openrpc.ErrorDescriptor;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.StreamDescriptor;
import dev.repartee.openrpc.Tag;
import dev.repartee.openrpc.mock.ExampleCall;
import dev.repartee.openrpc.mock.ExampleCalls;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Writes the reference of an API: a table of contents, the methods with examples, the types. */
final class ReferencePage {
  private static final int LONGEST_RESULT = 2_000;

  private final ExampleCalls examples;
  private final Api api;
  private final Markup page;
  private final Map<Declaration, String> anchors = new HashMap<>();

  /** The names on the page: those of the document, unless several types have one name. */
  private final Map<Declaration, String> names = new HashMap<>();

  private final List<String> methods = new ArrayList<>(); // anchors
  private final List<String> notifications = new ArrayList<>(); // anchors

  private ReferencePage(OpenRpc document, Api api, Markup page) {
    this.examples = new ExampleCalls(document);
    this.api = api;
    this.page = page;
    Names ids = new Names(Words::kebab, Set.of());
    Names types = new Names(Words::upperCamel, Set.of());
    for (Declaration declared : api.declarations()) {
      anchors.put(declared, ids.unique("type " + declared.name()));
      names.put(declared, types.unique(declared.name()));
    }
    api.operations().forEach(each -> methods.add(ids.unique("method " + each.name())));
    api.notifications()
        .forEach(each -> notifications.add(ids.unique("notification " + each.name())));
  }

  /** Returns the page by the name of its file. */
  static Map<String, String> files(
      OpenRpc document, Api api, String name, Markup markup, String suffix) {
    ReferencePage reference = new ReferencePage(document, api, markup);
    return Map.of(new Names(Words::kebab, Set.of()).plain(name) + suffix, reference.write());
  }

  private String write() {
    page.heading(1, "", page.text(api.title()));
    page.paragraph(page.text("Version " + api.info().version()));
    page.paragraphs(Doc.of(false, api.info().description()).text());
    page.contents(true);
    contents();
    page.contents(false);
    page.heading(2, "methods", "Methods");
    for (int i = 0; i < methods.size(); i++) {
      method(api.operations().get(i), methods.get(i));
    }
    if (!notifications.isEmpty()) {
      page.heading(2, "notifications", "Notifications");
      page.paragraph("The server sends these to its clients.");
      for (int i = 0; i < notifications.size(); i++) {
        method(api.notifications().get(i), notifications.get(i));
      }
    }
    if (!api.declarations().isEmpty()) {
      page.heading(2, "types", "Types");
      api.declarations().forEach(this::type);
    }
    return page.page();
  }

  private void contents() {
    page.paragraph(page.link("Methods", "methods"));
    contents(api.operations(), methods);
    if (!notifications.isEmpty()) {
      page.paragraph(page.link("Notifications", "notifications"));
      contents(api.notifications(), notifications);
    }
    if (!api.declarations().isEmpty()) {
      page.paragraph(page.link("Types", "types"));
      page.list(api.declarations().stream().map(this::link).toList());
    }
  }

  private void contents(List<Api.Operation> operations, List<String> anchors) {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < anchors.size(); i++) {
      Api.Operation operation = operations.get(i);
      String summary = operation.doc().first();
      items.add(page.link(page.code(operation.name()), anchors.get(i))
          + (summary.isEmpty() ? "" : ": " + page.text(summary)));
    }
    page.list(items);
  }

  private String link(Declaration declared) {
    return page.link(
        page.code(names.getOrDefault(declared, "")), anchors.getOrDefault(declared, ""));
  }

  private void method(Api.Operation operation, String anchor) {
    page.heading(3, anchor, page.code(operation.name()));
    if (operation.doc().deprecated()) {
      page.paragraph("Deprecated.");
    }
    page.paragraphs(operation.doc().text());
    if (!operation.method().tags().isEmpty()) {
      page.paragraph("Tags: "
          + operation.method().tags().stream()
              .map(Tag::name)
              .map(page::text)
              .collect(Collectors.joining(", ")));
    }
    parameters(operation);
    if (operation.method().sent()) {
      return;
    }
    result(operation);
    List<ErrorDescriptor> errors = operation.method().errors();
    if (!errors.isEmpty()) {
      page.table(
          List.of("Error", "Message"),
          errors.stream()
              .map(each -> List.of(String.valueOf(each.code()), page.text(each.message())))
              .toList());
    }
    example(operation);
  }

  private void parameters(Api.Operation operation) {
    List<Api.Parameter> parameters = operation.parameters();
    if (parameters == null) {
      page.paragraph("The document does not describe the params.");
    } else if (!parameters.isEmpty()) {
      String order = switch (operation.method().paramStructure()) {
        case BY_NAME -> "Params, by name:";
        case BY_POSITION -> "Params, by position:";
        case EITHER -> "Params, by position or by name:";
      };
      page.paragraph(order);
      page.table(
          List.of("Name", "Type", "Required", "Description"),
          parameters.stream()
              .map(each -> List.of(
                  page.code(each.name()),
                  type(each.type()) + (each.variadic() ? ", each element a param" : ""),
                  each.required() ? "yes" : "no",
                  description(each.doc())))
              .toList());
    }
  }

  private String description(Doc doc) {
    return page.text((doc.deprecated() ? "Deprecated. " : "") + doc.line());
  }

  private void result(Api.Operation operation) {
    Type result = operation.result();
    if (result == null) {
      page.paragraph("A notification: it has no result.");
      return;
    }
    StreamDescriptor stream = operation.method().stream();
    String text = operation.resultDoc().isEmpty() ? "" : ". " + description(operation.resultDoc());
    page.paragraph((stream == null ? "Result: " : "A stream of items: ") + type(result) + text);
    if (stream != null && stream.form().equals("subscription")) {
      page.paragraph("The result is the id of a subscription. Items are notifications "
          + page.code(String.valueOf(stream.notification())) + "; "
          + page.code(String.valueOf(stream.unsubscribe())) + " ends it.");
    }
  }

  private void example(Api.Operation operation) {
    ExampleCall call = examples.of(operation.method());
    String uri = api.server();
    page.paragraph("Example:");
    String commands = call.repartee(uri);
    if (uri.startsWith("http") && operation.method().stream() == null) {
      commands = call.curl(uri) + '\n' + commands;
    }
    page.block("sh", commands);
    if (call.result() != null) {
      page.block("json", JsonLayout.INDENTED.text(call.result(), LONGEST_RESULT));
    }
  }

  private void type(Declaration declared) {
    page.heading(
        3, anchors.getOrDefault(declared, ""), page.code(names.getOrDefault(declared, "")));
    page.paragraphs(declared.doc().text());
    Body body = declared.body();
    if (body instanceof Body.Members object) {
      page.table(
          List.of("Member", "Type", "Required", "Description"),
          object.members().stream()
              .map(each -> List.of(
                  page.code(each.name()),
                  type(each.type()),
                  each.required() ? "yes" : "no",
                  description(each.doc())))
              .toList());
    } else if (body instanceof Body.Values values) {
      page.paragraph("One of these strings:");
      page.list(values.values().stream().map(page::code).toList());
    } else if (body instanceof Body.Union union) {
      page.paragraph(
          union.tag() == null
              ? "One of these types:"
              : "One of these types; the member " + page.code(union.tag()) + " names it:");
      page.list(union.alternatives().stream()
          .map(each -> type(each.type()) + (each.tag() == null ? "" : ": " + page.code(each.tag())))
          .toList());
    } else if (body instanceof Body.Alias alias) {
      page.paragraph("Type: " + type(alias.type()));
    }
  }

  private String type(Type type) {
    if (type instanceof Type.Named named) {
      return link(named.declaration());
    } else if (type instanceof Type.ListOf list) {
      return "array of " + type(list.items());
    } else if (type instanceof Type.MapOf map) {
      return "object with values: " + type(map.values());
    } else if (type instanceof Type.OrNull nullable) {
      return type(nullable.type()) + " or null";
    } else if (type instanceof Type.Constant constant) {
      Json value = constant.value();
      return page.code(value.toString());
    } else if (type instanceof Type.Scalar scalar) {
      return scalar.name().toLowerCase(Locale.ROOT);
    }
    return "any";
  }
}
