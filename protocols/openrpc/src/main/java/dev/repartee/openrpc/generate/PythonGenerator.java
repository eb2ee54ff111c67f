package dev.repartee.openrpc.generate;

import dev.repartee.json.Json;
import dev.repartee.openrpc.ErrorDescriptor;
import dev.repartee.openrpc.StreamDescriptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Generates Python 3.10: one module with dataclasses, a client, and a client for {@code asyncio}. It
 * needs the package {@code websockets} for {@code ws:} URLs only.
 */
final class PythonGenerator {
  private static final Set<String> KEYWORDS = Set.of(
      "False",
      "None",
      "True",
      "and",
      "as",
      "assert",
      "async",
      "await",
      "break",
      "class",
      "continue",
      "def",
      "del",
      "elif",
      "else",
      "except",
      "finally",
      "for",
      "from",
      "global",
      "if",
      "import",
      "in",
      "is",
      "lambda",
      "nonlocal",
      "not",
      "or",
      "pass",
      "raise",
      "return",
      "self",
      "try",
      "while",
      "with",
      "yield");

  /** The variables in the bodies of methods. */
  private static final Set<String> LOCALS =
      Set.of("answer", "item", "items", "params", "read", "result");

  /** The names in the bodies of classes that a member must not hide. */
  private static final Set<String> BUILTINS =
      Set.of("bool", "close", "dict", "field", "float", "int", "list", "str");

  /** The names that types must not hide: those of {@code client.py} and of the language. */
  private static final Set<String> TYPES = Set.of(
      "Any",
      "AsyncHttpTransport",
      "AsyncIterator",
      "AsyncTransport",
      "AsyncWebSocketTransport",
      "BaseException",
      "Callable",
      "EOFError",
      "Enum",
      "Exception",
      "False",
      "ForwardRef",
      "HttpTransport",
      "Iterator",
      "Literal",
      "None",
      "OSError",
      "Params",
      "Protocol",
      "RpcError",
      "Transport",
      "TransportError",
      "True",
      "TypeAlias",
      "Union",
      "ValueError",
      "WebSocketTransport");

  private final Api api;
  private final String client;
  private final Map<Declaration, String> names = new HashMap<>();
  private final Set<Declaration> written = new LinkedHashSet<>();
  private final Set<Declaration> begun = new HashSet<>();
  private final Lines out = new Lines("    ", 88);

  private PythonGenerator(Api api, String name) {
    this.api = api;
    Names types = new Names(Words::upperCamel, TYPES);
    this.client = types.unique(name);
    types.reserve("Async" + client);
    api.declarations().forEach(each -> names.put(each, types.unique(each.name())));
  }

  /** Returns the text of the file by its name. */
  static Map<String, String> files(Api api, String name) {
    PythonGenerator generator = new PythonGenerator(api, name);
    return Map.of(new Names(Words::snake, KEYWORDS).plain(name) + ".py", generator.file());
  }

  private String name(Declaration declared) {
    return names.getOrDefault(declared, "");
  }

  private String file() {
    docstring(
        Doc.of(false, api.title(), api.info().description(), Generation.mark(api)), List.of());
    out.add("").add("from __future__ import annotations").add("");
    List.of(
            "asyncio",
            "collections",
            "contextlib",
            "dataclasses",
            "functools",
            "importlib",
            "itertools",
            "json",
            "types",
            "urllib.error",
            "urllib.request")
        .forEach(each -> out.add("import " + each));
    out.add("from collections.abc import AsyncIterator, Callable, Iterator");
    out.add("from dataclasses import dataclass, field");
    out.add("from enum import Enum");
    out.add("from typing import (").indent();
    List.of(
            "Any",
            "ForwardRef",
            "Literal",
            "Protocol",
            "TypeAlias",
            "Union",
            "cast",
            "get_args",
            "get_origin")
        .forEach(each -> out.add(each + ","));
    out.outdent().add(")");
    for (Declaration declared : api.declarations()) {
      if (declared.body() instanceof Body.Members object) {
        dataclass(declared, object);
      } else if (declared.body() instanceof Body.Values values) {
        constants(declared, values);
      }
    }
    api.declarations().forEach(this::alias);
    client(false);
    client(true);
    String code = out.toString();
    if (!code.contains("field(")) {
      code = code.replace("import dataclass, field\n", "import dataclass\n");
    }
    if (!code.contains("@dataclass")) {
      code = code.replace("from dataclasses import dataclass\n", "");
    }
    return code + "\n\n" + Template.text("client.py");
  }

  private void dataclass(Declaration declared, Body.Members object) {
    Set<String> reserved = new HashSet<>(KEYWORDS);
    reserved.addAll(BUILTINS);
    Names members = new Names(Words::snake, reserved);
    out.add("").add("").add("@dataclass(kw_only=True)");
    out.add("class " + name(declared) + ":").indent();
    docstring(described(declared), List.of());
    out.add("");
    for (Body.Member member : object.members()) {
      String name = members.unique(member.name());
      comment(member.doc());
      String fallback = !member.required()
          ? "None"
          : member.type() instanceof Type.Constant constant ? constant(constant.value()) : "";
      String type = type(member.type());
      String declaredType = member.required() ? type : orNone(type);
      List<String> options = new ArrayList<>();
      if (!fallback.isEmpty()) {
        options.add("default=" + fallback);
      }
      if (!name.equals(member.name())) {
        options.add("metadata={\"json\": " + quoted(member.name()) + "}");
      }
      String head = name + ": " + declaredType;
      if (options.isEmpty()) {
        out.add(head);
      } else if (name.equals(member.name())) {
        out.add(head + " = " + fallback);
      } else {
        list(head + " = field(", options, ")");
      }
    }
    out.outdent();
  }

  private Doc described(Declaration declared) {
    return declared.doc().isEmpty() ? Doc.of(false, name(declared)) : declared.doc();
  }

  private void constants(Declaration declared, Body.Values values) {
    out.add("").add("").add("class " + name(declared) + "(str, Enum):").indent();
    docstring(described(declared), List.of());
    out.add("");
    Names constants = new Names(Words::upperSnake, KEYWORDS);
    values.values().forEach(value -> out.add(constants.unique(value) + " = " + quoted(value)));
    out.outdent();
  }

  /** Adds an alias after those that it uses. */
  private void alias(Declaration declared) {
    if (!isAlias(declared) || !begun.add(declared)) {
      return;
    }
    Body body = declared.body();
    List<Type> types = body instanceof Body.Union union
        ? union.alternatives().stream().map(Body.Alternative::type).toList()
        : body instanceof Body.Alias alias ? List.of(alias.type()) : List.of();
    types.forEach(this::aliases);
    if (written.isEmpty()) {
      out.add(""); // as after a class
    }
    out.add("");
    comment(declared.doc());
    List<String> parts = types.stream().map(this::value).distinct().toList();
    String head = name(declared) + ": TypeAlias = ";
    if (parts.size() == 1) {
      out.add(head + parts.get(0));
    } else {
      list(head + "Union[", parts, "]");
    }
    written.add(declared);
  }

  private void aliases(Type type) {
    if (type instanceof Type.Named named) {
      alias(named.declaration());
    } else if (type instanceof Type.ListOf list) {
      aliases(list.items());
    } else if (type instanceof Type.MapOf map) {
      aliases(map.values());
    } else if (type instanceof Type.OrNull nullable) {
      aliases(nullable.type());
    }
  }

  private static boolean isAlias(Declaration declared) {
    return declared.body() instanceof Body.Alias || declared.body() instanceof Body.Union;
  }

  /** Returns a type as an expression; aliases that come later are strings. */
  private String value(Type type) {
    if (type instanceof Type.Named named) {
      Declaration declared = named.declaration();
      String name = name(declared);
      return isAlias(declared) && !written.contains(declared) ? '"' + name + '"' : name;
    } else if (type instanceof Type.ListOf list) {
      return "list[" + value(list.items()) + ']';
    } else if (type instanceof Type.MapOf map) {
      return "dict[str, " + value(map.values()) + ']';
    } else if (type instanceof Type.OrNull nullable) {
      return "Union[" + value(nullable.type()) + ", None]";
    }
    return type(type);
  }

  /** Returns a type as an annotation. */
  private String type(Type type) {
    if (type instanceof Type.Named named) {
      return name(named.declaration());
    } else if (type instanceof Type.ListOf list) {
      return "list[" + type(list.items()) + ']';
    } else if (type instanceof Type.MapOf map) {
      return "dict[str, " + type(map.values()) + ']';
    } else if (type instanceof Type.OrNull nullable) {
      return type(nullable.type()) + " | None";
    } else if (type instanceof Type.Constant constant) {
      String value = constant(constant.value());
      return value.isEmpty() ? type(constant.general()) : "Literal[" + value + ']';
    } else if (type instanceof Type.Scalar scalar) {
      return switch (scalar) {
        case STRING -> "str";
        case INTEGER -> "int";
        case NUMBER -> "float";
        case BOOLEAN -> "bool";
        case NULL -> "None";
      };
    }
    return "Any";
  }

  /** Returns a constant that a literal type may contain; empty for others. */
  private static String constant(Json value) {
    return switch (value.kind()) {
      case STRING -> quoted(value.text());
      case NUMBER -> value.toString().matches("-?[0-9]+") ? value.toString() : "";
      case BOOLEAN -> value.equals(Json.TRUE) ? "True" : "False";
      case NULL -> "None";
      case ARRAY, OBJECT -> "";
    };
  }

  private void client(boolean async) {
    String word = async ? "async " : "";
    String await = async ? "await " : "";
    String transport = async ? "AsyncTransport" : "Transport";
    String name = async ? "Async" + client : client;
    out.add("").add("").add("class " + name + ":").indent();
    docstring(Doc.of(false, api.title() + (async ? ", for asyncio" : "")), List.of());
    out.add("")
        .add("def __init__(self, server: str | " + transport + ") -> None:")
        .indent();
    out.add("\"\"\"Creates a client of a server at a URL, or with a connection.\"\"\"");
    String connect = async ? "connect_async" : "connect";
    out.add("self._transport: " + transport + " = (").indent();
    out.add(connect + "(server) if isinstance(server, str) else server");
    out.outdent().add(")").outdent().add("");
    out.add(word + "def close(self) -> None:").indent();
    out.add("\"\"\"Ends the connection.\"\"\"");
    out.add(await + "self._transport.close()").outdent().add("");
    String magic = async ? "__a" : "__";
    out.add(word + "def " + magic + "enter__(self) -> " + name + ":").indent();
    out.add("return self").outdent().add("");
    out.add(word + "def " + magic + "exit__(self, *failure: object) -> None:").indent();
    out.add(await + "self.close()").outdent();
    Set<String> reserved = new HashSet<>(KEYWORDS);
    reserved.addAll(BUILTINS);
    Names methods = new Names(Words::snake, reserved);
    for (Api.Operation operation : api.operations()) {
      out.add("");
      method(operation, methods.unique(operation.name()), async);
    }
    for (Api.Operation operation : api.notifications()) {
      out.add("");
      notification(operation, methods.unique("on " + operation.name()));
    }
    out.outdent();
  }

  /** Adds a method that registers a handler of a notification that the server sends. */
  private void notification(Api.Operation operation, String name) {
    List<Api.Parameter> declared = operation.parameters(); // null if they are not known
    List<Api.Parameter> parameters = declared == null ? List.of() : declared;
    List<String> types = new ArrayList<>();
    List<String> values = new ArrayList<>();
    List<String> names = new ArrayList<>();
    boolean hasRest = false;
    for (Api.Parameter each : parameters) {
      String arg = "args[" + names.size();
      if (each.isRest(parameters) && each.type() instanceof Type.ListOf list) {
        hasRest = true;
        String item = quoted(type(list.items()));
        values.add("*(_read(" + item + ", each) for each in " + arg + ":])");
      } else {
        String type = each.required() ? type(each.type()) : orNone(type(each.type()));
        names.add(quoted(each.name()));
        types.add(type);
        values.add("_read(" + quoted(type) + ", " + arg + "])");
      }
    }
    String arguments =
        declared == null ? "[Params]" : hasRest ? "..." : '[' + String.join(", ", types) + ']';
    list(
        "def " + name + '(',
        List.of("self", "handler: Callable[" + arguments + ", object]"),
        ") -> Callable[[], None]:");
    out.indent();
    docstring(
        operation.notificationDoc(),
        List.of("Returns: a function that ends the calls of the handler"));
    if (declared == null) {
      out.add("return self._transport.listen(" + quoted(operation.name()) + ", handler)");
    } else {
      out.add("").add("def receive(params: Params) -> None:").indent();
      if (values.isEmpty()) {
        out.add("handler()");
      } else {
        list("args = _received(params, [", names, "])");
        list("handler(", values, ")");
      }
      out.outdent().add("");
      out.add("return self._transport.listen(" + quoted(operation.name()) + ", receive)");
    }
    out.outdent();
  }

  private static String orNone(String type) {
    return type.equals("Any") || type.endsWith("None") ? type : type + " | None";
  }

  private void method(Api.Operation operation, String name, boolean async) {
    List<String> declared = new ArrayList<>(List.of("self"));
    List<String> tags = new ArrayList<>();
    List<String> params = parameters(operation, declared, tags);
    StreamDescriptor stream = operation.method().stream();
    Type type = operation.result();
    String item = type == null ? "None" : type(type);
    String iterator = async ? "AsyncIterator[" : "Iterator[";
    String result = stream == null ? item : iterator + item + ']';
    list((async ? "async " : "") + "def " + name + '(', declared, ") -> " + result + ":");
    out.indent();
    if (!operation.resultDoc().isEmpty()) {
      tags.add("Returns: " + operation.resultDoc().line());
    }
    for (ErrorDescriptor error : operation.method().errors()) {
      tags.add("Raises: RpcError with the code " + error.code() + ": "
          + Doc.of(false, error.message()).line());
    }
    docstring(operation.doc().isEmpty() ? Doc.of(false, name) : operation.doc(), tags);
    String await = async ? "await " : "";
    List<String> call = new ArrayList<>(List.of(quoted(operation.name())));
    if (!params.isEmpty()) {
      boolean named = operation.isByName();
      list(named ? "params = _named({" : "params = _positional(", params, named ? "})" : ")");
    }
    if (!params.isEmpty() || operation.parameters() == null) {
      call.add("params");
    } else if (stream != null) {
      call.add("None");
    }
    if (stream != null) {
      call.add(form(stream));
      list("items = self._transport.stream(", call, ")");
      out.add((async ? "async " : "") + "for item in items:").indent();
      list("read: " + item + " = _read(", List.of(quoted(item), "item"), ")");
      out.add("yield read").outdent();
    } else if (type == null) {
      list(await + "self._transport.notify(", call, ")");
    } else if (item.equals("None")) {
      list(await + "self._transport.call(", call, ")");
    } else {
      list("answer = " + await + "self._transport.call(", call, ")");
      list("result: " + item + " = _read(", List.of(quoted(item), "answer"), ")");
      out.add("return result");
    }
    out.outdent();
  }

  private static String form(StreamDescriptor stream) {
    String form = "{\"form\": " + quoted(stream.form());
    return stream.form().equals("subscription")
        ? form + ", \"notification\": " + quoted(stream.notification()) + ", \"unsubscribe\": "
            + quoted(stream.unsubscribe()) + '}'
        : form + '}';
  }

  /** Adds the parameters; returns the expressions for the params. */
  private List<String> parameters(
      Api.Operation operation, List<String> declared, List<String> tags) {
    List<Api.Parameter> parameters = operation.parameters();
    if (parameters == null) {
      declared.add("params: Params = None");
      return List.of();
    }
    Set<String> reserved = new HashSet<>(KEYWORDS);
    reserved.addAll(LOCALS);
    Names names = new Names(Words::snake, reserved);
    List<String> values = new ArrayList<>();
    int required = Api.Parameter.requiredEnd(parameters);
    for (int i = 0; i < parameters.size(); i++) {
      Api.Parameter parameter = parameters.get(i);
      String name = names.unique(parameter.name());
      String type = type(parameter.type());
      boolean rest = parameter.isRest(parameters);
      if (rest && parameter.type() instanceof Type.ListOf list) {
        declared.add('*' + name + ": " + type(list.items()));
      } else {
        declared.add(name + ": " + (parameter.required() ? type : orNone(type))
            + (i >= required ? " = None" : ""));
      }
      values.add(
          operation.isByName() ? quoted(parameter.name()) + ": " + name : (rest ? "*" : "") + name);
      if (!parameter.doc().isEmpty()) {
        tags.add(name + ": " + parameter.doc().line());
      }
    }
    return values;
  }

  /** Adds a list in brackets, in one line or in one line for each element. */
  private void list(String head, List<String> elements, String end) {
    String line = head + String.join(", ", elements) + end;
    if (line.length() <= out.width() || elements.isEmpty()) {
      out.add(line);
    } else {
      out.add(head).indent();
      elements.forEach(each -> out.add(each + ","));
      out.outdent().add(end);
    }
  }

  private void docstring(Doc doc, List<String> tags) {
    List<String> lines = new ArrayList<>(Lines.filled(escaped(doc.text()), out.width() - 6));
    if (doc.deprecated()) {
      lines.addAll(List.of("", "Deprecated."));
    }
    if (!tags.isEmpty()) {
      lines.add("");
    }
    for (String tag : tags) {
      List<String> filled = Lines.filled(escaped(tag).replaceAll("\\s+", " "), out.width() - 4);
      for (int i = 0; i < filled.size(); i++) {
        lines.add(i == 0 ? filled.get(i) : "    " + filled.get(i));
      }
    }
    if (lines.size() == 1) {
      out.add("\"\"\"" + lines.get(0) + "\"\"\"");
    } else {
      out.add("\"\"\"" + lines.get(0));
      out.addAll(lines.subList(1, lines.size()));
      out.add("\"\"\"");
    }
  }

  private void comment(Doc doc) {
    String text = doc.deprecated() ? doc.text() + "\n\nDeprecated." : doc.text();
    Lines.filled(text.strip(), out.width() - 2)
        .forEach(line -> out.add(line.isEmpty() ? "#" : "# " + line));
  }

  /** Returns text that cannot end a string in three quotes, or escape characters in it. */
  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  /** Returns a string literal. */
  private static String quoted(@Nullable String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : (text == null ? "" : text).toCharArray()) {
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f || Doc.isInvisible(c)) {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
