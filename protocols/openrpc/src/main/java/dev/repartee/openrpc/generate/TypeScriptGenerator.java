package dev.repartee.openrpc.generate;

import dev.repartee.json.Json;
import dev.repartee.openrpc.ErrorDescriptor;
import dev.repartee.openrpc.StreamDescriptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Generates TypeScript (ES2022): one file without dependencies, with the types and a client. Members
 * have their names in JSON. Strings of a fixed set are literal types; alternatives are unions.
 */
final class TypeScriptGenerator {
  /** The names that types must not hide: those of {@code client.ts} and of the language. */
  private static final Set<String> TYPES = Set.of(
      "AbortController",
      "AbortSignal",
      "Array",
      "AsyncGenerator",
      "Error",
      "ErrorObject",
      "HttpTransport",
      "Items",
      "JSON",
      "Map",
      "Message",
      "MessageEvent",
      "Object",
      "Params",
      "Promise",
      "Readonly",
      "ReadonlyArray",
      "Receiver",
      "Record",
      "Response",
      "RpcError",
      "Set",
      "StreamForm",
      "String",
      "TextDecoderStream",
      "Transport",
      "TransportError",
      "WebSocket",
      "WebSocketTransport",
      "Infinity",
      "NaN");

  private static final Set<String> KEYWORDS = Set.of(
      "arguments",
      "as",
      "async",
      "await",
      "break",
      "case",
      "catch",
      "class",
      "const",
      "continue",
      "debugger",
      "default",
      "delete",
      "do",
      "else",
      "enum",
      "eval",
      "export",
      "extends",
      "false",
      "finally",
      "for",
      "function",
      "if",
      "implements",
      "import",
      "in",
      "instanceof",
      "interface",
      "let",
      "new",
      "null",
      "package",
      "positional",
      "private",
      "protected",
      "public",
      "return",
      "static",
      "super",
      "switch",
      "this",
      "throw",
      "true",
      "try",
      "typeof",
      "undefined",
      "var",
      "void",
      "while",
      "with",
      "yield");

  /** The members of clients that methods cannot replace; {@code then} would make it a promise. */
  private static final Set<String> MEMBERS = Set.of("close", "constructor", "then");

  private final Api api;
  private final String client;
  private final Map<Declaration, String> names = new HashMap<>();
  private final Lines out = new Lines("  ");

  private TypeScriptGenerator(Api api, String name) {
    this.api = api;
    Names types = new Names(Words::upperCamel, TYPES);
    this.client = types.unique(name);
    api.declarations().forEach(each -> names.put(each, types.unique(each.name())));
  }

  /** Returns the text of the file by its name. */
  static Map<String, String> files(Api api, String name) {
    TypeScriptGenerator generator = new TypeScriptGenerator(api, name);
    return Map.of(new Names(Words::kebab, Set.of()).plain(name) + ".ts", generator.file());
  }

  private String name(Declaration declared) {
    return names.getOrDefault(declared, "");
  }

  private String file() {
    out.add("// " + Generation.mark(api)).add("");
    client();
    for (Declaration declared : api.declarations()) {
      out.add("");
      declaration(declared);
    }
    return out + "\n" + Template.text("client.ts");
  }

  private void declaration(Declaration declared) {
    String name = name(declared);
    comment(declared.doc(), List.of());
    Body body = declared.body();
    if (body instanceof Body.Members object) {
      out.add("export interface " + name + " {").indent();
      for (Body.Member member : object.members()) {
        comment(member.doc(), List.of());
        out.add(property(member.name()) + (member.required() ? ": " : "?: ") + type(member.type())
            + ";");
      }
      if (object.additional() != null) {
        out.add("[name: string]: unknown;");
      }
      out.outdent().add("}");
    } else if (body instanceof Body.Values values) {
      alternatives(
          name, values.values().stream().map(TypeScriptGenerator::quoted).toList());
    } else if (body instanceof Body.Union union) {
      alternatives(
          name,
          union.alternatives().stream()
              .map(each -> type(each.type()))
              .distinct()
              .toList());
    } else if (body instanceof Body.Alias alias) {
      out.add("export type " + name + " = " + type(alias.type()) + ";");
    }
  }

  private void alternatives(String name, List<String> types) {
    String line = "export type " + name + " = " + String.join(" | ", types) + ";";
    if (line.length() <= Lines.WIDTH) {
      out.add(line);
      return;
    }
    out.add("export type " + name + " =").indent();
    for (int i = 0; i < types.size(); i++) {
      out.add("| " + types.get(i) + (i < types.size() - 1 ? "" : ";"));
    }
    out.outdent();
  }

  private String type(Type type) {
    if (type instanceof Type.Named named) {
      return name(named.declaration());
    } else if (type instanceof Type.ListOf list) {
      String items = type(list.items());
      return items.contains(" ") ? "Array<" + items + '>' : items + "[]";
    } else if (type instanceof Type.MapOf map) {
      return "{ [name: string]: " + type(map.values()) + " }";
    } else if (type instanceof Type.OrNull nullable) {
      return type(nullable.type()) + " | null";
    } else if (type instanceof Type.Constant constant) {
      return constant(constant);
    } else if (type instanceof Type.Scalar scalar) {
      return switch (scalar) {
        case STRING -> "string";
        case INTEGER, NUMBER -> "number";
        case BOOLEAN -> "boolean";
        case NULL -> "null";
      };
    }
    return "unknown";
  }

  private String constant(Type.Constant constant) {
    Json value = constant.value();
    return switch (value.kind()) {
      case STRING -> quoted(value.text());
      case NUMBER -> SchemaShape.isInteger(value) ? value.toString() : "number";
      case BOOLEAN, NULL -> value.toString();
      case ARRAY, OBJECT -> type(constant.general());
    };
  }

  private void client() {
    comment(Doc.of(false, api.title(), api.info().description()), List.of());
    out.add("export class " + client + " {").indent();
    out.add("readonly #transport: Transport;").add("");
    out.add("/** @param server the URL of the server, or a connection to it */");
    out.add("constructor(server: string | Transport) {").indent();
    out.add("this.#transport = typeof server === 'string' ? connect(server) : server;");
    out.outdent().add("}").add("");
    out.add("/** Ends the connection. Pending calls fail. */");
    out.add("close(): void {")
        .indent()
        .add("this.#transport.close();")
        .outdent()
        .add("}");
    Names methods = new Names(Words::lowerCamel, MEMBERS);
    for (Api.Operation operation : api.operations()) {
      out.add("");
      method(operation, methods.unique(operation.name()));
    }
    for (Api.Operation operation : api.notifications()) {
      out.add("");
      notification(operation, methods.unique("on " + operation.name()));
    }
    out.outdent().add("}");
  }

  /** Adds a method that registers a handler of a notification that the server sends. */
  private void notification(Api.Operation operation, String name) {
    List<String> declared = new ArrayList<>();
    parameters(operation, declared, new ArrayList<>());
    comment(
        operation.notificationDoc(),
        List.of("@returns a function that ends the calls of the handler"));
    String handler = "handler: (" + String.join(", ", declared) + ") => void";
    list(name + '(', List.of(handler), "): () => void {");
    out.indent();
    String listen = "return this.#transport.listen(" + quoted(operation.name()) + ", ";
    List<Api.Parameter> parameters = operation.parameters();
    if (parameters == null) {
      out.add(listen + "handler);");
    } else {
      List<String> received = new ArrayList<>(List.of("params"));
      parameters.forEach(each -> received.add(quoted(each.name())));
      out.add(listen + "(params) =>").indent();
      list("handler(...(received(", received, ") as Parameters<typeof handler>)),");
      out.outdent().add(");");
    }
    out.outdent().add("}");
  }

  private void method(Api.Operation operation, String name) {
    List<String> declared = new ArrayList<>();
    List<String> tags = new ArrayList<>();
    String params = parameters(operation, declared, tags);
    if (!operation.resultDoc().isEmpty()) {
      tags.add("@returns " + operation.resultDoc().line());
    }
    for (ErrorDescriptor error : operation.method().errors()) {
      tags.add("@throws RpcError with the code " + error.code() + ": "
          + Doc.of(false, error.message()).line());
    }
    comment(operation.doc(), tags);
    StreamDescriptor stream = operation.method().stream();
    Type type = operation.result();
    String result = type == null || type == Type.Scalar.NULL ? "void" : type(type);
    List<String> call = new ArrayList<>(List.of(quoted(operation.name())));
    if (!params.isEmpty()) {
      call.add(params);
    }
    String head = (stream == null ? "async " : "") + name + '(';
    if (stream != null) {
      list(head, declared, "): AsyncGenerator<" + result + "> {");
      out.indent();
      String form = quoted(stream.form());
      if (stream.form().equals("subscription")) {
        form += ", notification: " + quoted(String.valueOf(stream.notification()))
            + ", unsubscribe: " + quoted(String.valueOf(stream.unsubscribe()));
      }
      list(
          "return this.#transport.stream(",
          List.of(
              quoted(operation.name()),
              params.isEmpty() ? "undefined" : params,
              "{ form: " + form + " }"),
          ") as AsyncGenerator<" + result + ">;");
    } else {
      list(head, declared, "): Promise<" + result + "> {");
      out.indent();
      if (operation.result() == null) {
        list("await this.#transport.notify(", call, ");");
      } else if (result.equals("void")) {
        list("await this.#transport.call(", call, ");");
      } else {
        list("return (await this.#transport.call(", call, ")) as " + result + ";");
      }
    }
    out.outdent().add("}");
  }

  /** Adds the parameters; returns the expression for the params, empty if there are none. */
  private String parameters(Api.Operation operation, List<String> declared, List<String> tags) {
    List<Api.Parameter> parameters = operation.parameters();
    if (parameters == null) {
      declared.add("params?: Params");
      return "params";
    }
    Names names = new Names(Words::lowerCamel, KEYWORDS);
    List<String> values = new ArrayList<>();
    int required = Api.Parameter.requiredEnd(parameters);
    for (int i = 0; i < parameters.size(); i++) {
      Api.Parameter parameter = parameters.get(i);
      String name = names.unique(parameter.name());
      String type = type(parameter.type());
      boolean rest = parameter.isRest(parameters);
      declared.add(
          rest
              ? "..." + name + ": " + type
              : parameter.required()
                  ? name + ": " + type
                  : i < required ? name + ": " + type + " | undefined" : name + "?: " + type);
      values.add(
          operation.isByName()
              ? property(parameter.name()).equals(name)
                  ? name
                  : property(parameter.name()) + ": " + name
              : (rest ? "..." : "") + name);
      if (!parameter.doc().isEmpty()) {
        tags.add("@param " + name + ' ' + parameter.doc().line());
      }
    }
    String all = String.join(", ", values);
    return values.isEmpty()
        ? ""
        : operation.isByName() ? "{ " + all + " }" : "positional(" + all + ")";
  }

  /** Adds a list in parentheses, in one line or in one line for each element. */
  private void list(String head, List<String> elements, String end) {
    String line = head + String.join(", ", elements) + end;
    if (line.length() <= out.width() || elements.isEmpty()) {
      out.add(line);
    } else {
      out.add(head).indent();
      elements.forEach(each -> out.add(each + (each.startsWith("...") ? "" : ",")));
      out.outdent().add(end);
    }
  }

  private void comment(Doc doc, List<String> tags) {
    List<String> text = new ArrayList<>(Lines.filled(escaped(doc.text()), out.width() - 3));
    List<String> all = new ArrayList<>();
    for (String tag : tags) {
      List<String> lines = Lines.filled(tag(tag), out.width() - 5);
      for (int i = 0; i < lines.size(); i++) {
        all.add(i == 0 ? lines.get(i) : "  " + lines.get(i));
      }
    }
    if (doc.deprecated()) {
      all.add("@deprecated");
    }
    List<String> lines = new ArrayList<>(text);
    lines.addAll(all);
    if (lines.size() == 1 && lines.get(0).length() <= out.width() - 7) {
      out.add("/** " + lines.get(0) + " */");
    } else if (!all.isEmpty() || !text.isEmpty()) {
      out.add("/**");
      text.forEach(line -> out.add(line.isEmpty() ? " *" : " * " + line));
      if (!text.isEmpty() && !all.isEmpty()) {
        out.add(" *");
      }
      all.forEach(line -> out.add(" * " + line));
      out.add(" */");
    }
  }

  private static String tag(String tag) {
    int end = tag.indexOf(' ');
    return tag.substring(0, end) + escaped(tag.substring(end)).replaceAll("\\s+", " ");
  }

  /** Returns text that cannot end a comment or start a tag. */
  private static String escaped(String text) {
    return text.replace("*/", "*\\/").replace("@", "\\@");
  }

  private static String property(String name) {
    return name.matches("[A-Za-z_$][A-Za-z0-9_$]*") ? name : quoted(name);
  }

  /** Returns a string literal. */
  private static String quoted(String text) {
    return text.chars()
        .mapToObj(c -> c == '\'' || c == '\\'
            ? "\\" + (char) c
            : c < ' ' || c == 0x7f || Doc.isInvisible((char) c) || Character.isSurrogate((char) c)
                ? String.format("\\u%04x", c)
                : String.valueOf((char) c))
        .collect(Collectors.joining("", "'", "'"));
  }
}
