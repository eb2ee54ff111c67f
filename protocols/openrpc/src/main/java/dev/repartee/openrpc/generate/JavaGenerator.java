package dev.repartee.openrpc.generate;

import dev.repartee.openrpc.ErrorDescriptor;
import dev.repartee.openrpc.StreamDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Generates Java 17: an interface for {@code Peer.proxy} or {@code Service.of}, an interface of the
 * notifications that the server sends, which a client serves, and a file for each type. Objects are
 * records, strings of a fixed set are enums, and alternatives are sealed interfaces.
 *
 * <ul>
 *   <li>What may be missing is an {@code Optional}; what is always present but may be null is a
 *       reference that may be null. A result that may be null is an {@code Optional}.
 *   <li>Another name for a string, number, list or map has no type; Javadoc names it.
 *   <li>The member that distinguishes alternatives is written and read by their interface, and is
 *       no component of their records.
 * </ul>
 */
final class JavaGenerator {
  private final Api api;
  private final JavaTypes types;
  private final String packageName;
  private final Map<String, String> files = new TreeMap<>();

  private JavaGenerator(Api api, String packageName, String name) {
    this.api = api;
    this.types = new JavaTypes(api, name);
    this.packageName = packageName;
  }

  /** Returns the texts of the files by their path. */
  static Map<String, String> files(Api api, String packageName, String name) {
    JavaGenerator generator = new JavaGenerator(api, packageName, name);
    generator.methods(
        generator.types.api(),
        Doc.of(false, api.title(), api.info().description()),
        api.operations());
    if (!api.notifications().isEmpty()) {
      generator.methods(
          generator.types.notifications(),
          Doc.of(
              false,
              "The notifications that the server sends. Clients serve them: `Repartee.connect(uri,"
                  + " Service.of(" + generator.types.notifications()
                  + ".class, receiver), options)`."),
          api.notifications());
    }
    for (Declaration declared : api.declarations()) {
      if (!JavaTypes.isAlias(declared)) {
        generator.type(declared);
      }
    }
    return generator.files;
  }

  private void file(String type, Lines code) {
    Lines file = new Lines("  ");
    file.add(Generation.javaComment(Generation.mark(api))).add("");
    if (!packageName.isEmpty()) {
      file.add("package " + packageName + ";").add("");
    }
    String text = code.toString();
    List<String> imports = new ArrayList<>();
    JavaTypes.imports(withoutComments(text)).forEach(each -> imports.add("import " + each + ";"));
    file.addAll(imports);
    if (!imports.isEmpty()) {
      file.add("");
    }
    String folder = packageName.isEmpty() ? "" : packageName.replace('.', '/') + '/';
    files.put(folder + type + ".java", file + text);
  }

  private static String withoutComments(String code) {
    return code.replaceAll("(?m)^ *(/\\*\\*|\\*).*$", "")
        .replaceAll("\\\\.", "") // first, since a pattern with both needs a stack frame for each
        .replaceAll("\"[^\"]*\"", "\"\"");
  }

  private void type(Declaration declared) {
    Lines out = new Lines("  ");
    Body body = declared.body();
    if (body instanceof Body.Members object) {
      record(out, declared, object);
    } else if (body instanceof Body.Values values) {
      constants(out, declared, values);
    } else if (body instanceof Body.Union union) {
      union(out, declared, union);
    }
    file(types.name(declared), out);
  }

  private void record(Lines out, Declaration declared, Body.Members object) {
    Names names = JavaTypes.components();
    Javadoc javadoc = javadoc(out, declared);
    List<String> components = new ArrayList<>();
    String tag = types.tag(declared);
    for (Body.Member member : object.members()) {
      if (!member.name().equals(tag)) {
        String name = names.unique(member.name());
        javadoc.tag("@param " + name, text(member.doc(), member.type(), !member.required()));
        components.add(named(name, member.name(), false) + component(member) + ' ' + name);
      }
    }
    out.addAll(javadoc.lines());
    if (tag != null) {
      out.add("@OneOf.Name(" + quoted(types.tagValue(declared)) + ")");
    }
    list(
        out,
        "public record " + types.name(declared) + "(",
        components,
        ")" + implemented(declared) + " {}");
  }

  private String component(Body.Member member) {
    return !member.required()
        ? "Optional<" + types.boxed(member.type()) + '>'
        : member.type().allowsNull() ? types.boxed(member.type()) : types.type(member.type());
  }

  /** Returns the annotation with the name in JSON; nothing if the Java name is equal. */
  private static String named(String name, String original, boolean always) {
    return name.equals(original) && !always ? "" : "@Param(" + quoted(original) + ") ";
  }

  private String implemented(Declaration declared) {
    List<String> unions = List.copyOf(types.unions(declared));
    return unions.isEmpty() ? "" : " implements " + String.join(", ", unions);
  }

  private void constants(Lines out, Declaration declared, Body.Values values) {
    out.addAll(javadoc(out, declared).lines());
    out.add("public enum " + types.name(declared) + implemented(declared) + " {")
        .indent();
    Names names = JavaTypes.constants();
    for (int i = 0; i < values.values().size(); i++) {
      String value = values.values().get(i);
      String name = names.unique(value);
      if (!name.equals(value)) {
        out.add("@OneOf.Name(" + quoted(value) + ")");
      }
      out.add(name + (i < values.values().size() - 1 ? "," : ""));
    }
    out.outdent().add("}");
  }

  private void union(Lines out, Declaration declared, Body.Union union) {
    String name = types.name(declared);
    Names names = types.nested();
    List<String> permitted = new ArrayList<>();
    Lines wrappers = new Lines("  ").indent();
    for (Body.Alternative alternative : union.alternatives()) {
      Declaration part = JavaTypes.implementing(alternative.type());
      if (part != null) {
        permitted.add(types.name(part));
      } else {
        String wrapper = names.unique(alternative.label());
        permitted.add(name + '.' + wrapper);
        wrappers.add("");
        wrappers.addAll(new Javadoc(wrappers.width())
            .text(
                alternative.doc().isEmpty()
                    ? alternative.label()
                    : alternative.doc().text())
            .lines());
        wrappers.add("@Inline");
        list(
            wrappers,
            "record " + wrapper + "(",
            List.of(types.type(alternative.type()) + " value"),
            ") implements " + name + " {}");
      }
    }
    out.addAll(javadoc(out, declared).lines());
    out.add(union.tag() == null ? "@OneOf" : "@OneOf(member = " + quoted(union.tag()) + ")");
    List<String> unions = List.copyOf(types.unions(declared));
    String head = "public sealed interface " + name
        + (unions.isEmpty() ? "" : " extends " + String.join(", ", unions));
    String body = wrappers.toString();
    String end = body.isEmpty() ? " {}" : " {";
    String line = head + " permits " + String.join(", ", permitted) + end;
    if (line.length() <= Lines.WIDTH) {
      out.add(line);
    } else {
      out.add(head)
          .indent()
          .indent()
          .add("permits " + permitted.get(0) + (permitted.size() == 1 ? end : ","));
      for (int i = 1; i < permitted.size(); i++) {
        out.add("    " + permitted.get(i) + (i < permitted.size() - 1 ? "," : end));
      }
      out.outdent().outdent();
    }
    if (!body.isEmpty()) {
      out.addAll(List.of(body.substring(1, body.length() - 1).split("\n", -1))).add("}");
    }
  }

  private void methods(String type, Doc doc, List<Api.Operation> operations) {
    Lines out = new Lines("  ");
    out.addAll(new Javadoc(out.width()).text(doc).lines());
    out.add("public interface " + type + " {").indent();
    Names names = JavaTypes.methods();
    boolean first = true;
    for (Api.Operation operation : operations) {
      if (!first) {
        out.add("");
      }
      first = false;
      method(out, operation, names.unique(operation.name()));
    }
    out.outdent().add("}");
    file(type, out);
  }

  private void method(Lines out, Api.Operation operation, String name) {
    Javadoc javadoc = new Javadoc(out.width()).text(operation.doc());
    List<String> parameters = parameters(operation, javadoc);
    String result = result(operation);
    if (!result.equals("void")) {
      javadoc.tag("@return", text(operation.resultDoc(), operation.result(), true));
    }
    for (ErrorDescriptor error : operation.method().errors()) {
      javadoc.tag(
          "@throws dev.repartee.RpcException",
          "with the code " + error.code() + ": "
              + Doc.of(false, error.message()).line());
    }
    if (operation.doc().deprecated()) {
      javadoc.tag("@deprecated", "The document marks this method as deprecated.");
    }
    out.addAll(javadoc.lines());
    out.add(rpc(operation, name));
    String streamed = streamed(operation.method().stream());
    if (!streamed.isEmpty()) {
      out.add(streamed);
    }
    if (operation.doc().deprecated()) {
      out.add("@Deprecated");
    }
    list(out, result + ' ' + name + '(', parameters, ");");
  }

  private static boolean isWhole(Api.Operation operation) {
    List<Api.Parameter> parameters = operation.parameters();
    return parameters == null || parameters.size() > JavaTypes.MOST_COMPONENTS;
  }

  private static String rpc(Api.Operation operation, String name) {
    List<String> members = new ArrayList<>();
    if (operation.result() == null) {
      members.add("notification = true");
    }
    if (isWhole(operation)) {
      members.add("paramsObject = true");
    } else if (operation.isByName()) {
      members.add("named = true");
    }
    if (members.isEmpty()) {
      return name.equals(operation.name()) ? "@Rpc" : "@Rpc(" + quoted(operation.name()) + ")";
    }
    if (!name.equals(operation.name())) {
      members.add(0, "value = " + quoted(operation.name()));
    }
    return "@Rpc(" + String.join(", ", members) + ")";
  }

  private static String streamed(@Nullable StreamDescriptor stream) {
    if (stream == null) {
      return "";
    }
    return switch (stream.form()) {
      case "subscription" ->
        "@Streamed(subscription = " + quoted(stream.notification()) + ", unsubscribe = "
            + quoted(stream.unsubscribe()) + ")";
      case "partialResults" -> "@Streamed(partialResults = true)";
      default -> "";
    };
  }

  private List<String> parameters(Api.Operation operation, Javadoc javadoc) {
    List<Api.Parameter> given = operation.parameters();
    if (given == null || isWhole(operation)) {
      return List.of("Json params");
    }
    Names names = JavaTypes.parameters();
    List<String> parameters = new ArrayList<>();
    for (Api.Parameter parameter : given) {
      String name = names.unique(parameter.name());
      boolean last = parameters.size() == given.size() - 1;
      javadoc.tag("@param " + name, text(parameter.doc(), parameter.type(), false));
      parameters.add(named(name, parameter.name(), operation.isByName())
          + parameter(parameter, last)
          + ' '
          + name);
    }
    return parameters;
  }

  private String parameter(Api.Parameter parameter, boolean last) {
    Type type = parameter.type();
    Type plain = JavaTypes.plain(type);
    if (parameter.variadic() && last && plain instanceof Type.ListOf list) {
      String item = types.type(list.items());
      return (item.contains("<") ? "Json" : item) + "..."; // no arrays of generic types
    } else if (!parameter.required()) {
      return "Optional<" + types.boxed(type) + '>';
    }
    return type.allowsNull() ? types.boxed(type) : types.type(type);
  }

  private String result(Api.Operation operation) {
    Type type = operation.result();
    if (type == null || JavaTypes.plain(type) == Type.Scalar.NULL) {
      return "void";
    } else if (operation.method().stream() != null) {
      return "RemoteStream<" + types.boxed(type) + '>';
    }
    return type.allowsNull() ? "Optional<" + types.boxed(type) + '>' : types.type(type);
  }

  /** Adds a list in parentheses, in one line or in one line for each element. */
  private static void list(Lines out, String head, List<String> elements, String end) {
    String line = head + String.join(", ", elements) + end;
    if (line.length() <= out.width() || elements.isEmpty()) {
      out.add(line);
      return;
    }
    out.add(head).indent().indent();
    for (int i = 0; i < elements.size(); i++) {
      out.add(elements.get(i) + (i < elements.size() - 1 ? "," : end));
    }
    out.outdent().outdent();
  }

  private Javadoc javadoc(Lines out, Declaration declared) {
    Javadoc javadoc = new Javadoc(out.width());
    return declared.doc().isEmpty()
        ? javadoc.text(types.name(declared))
        : javadoc.text(declared.doc());
  }

  /** Returns the text about a value, with the name that the document has for its type. */
  private static String text(Doc doc, @Nullable Type type, boolean optional) {
    List<String> parts = new ArrayList<>();
    parts.add(doc.line());
    parts.add(type == null ? "" : alias(type));
    parts.add(type != null && !optional && type.allowsNull() ? "may be null" : "");
    StringBuilder text = new StringBuilder();
    for (String part : parts) {
      if (!part.isEmpty() && text.length() > 0) {
        text.append(text.charAt(text.length() - 1) == '.' ? " " : "; ");
      }
      text.append(part);
    }
    return text.toString();
  }

  private static String alias(Type type) {
    Type named =
        type.present() instanceof Type.ListOf list ? list.items().present() : type.present();
    if (!(named instanceof Type.Named alias) || !JavaTypes.isAlias(alias.declaration())) {
      return "";
    }
    Doc doc = alias.declaration().doc();
    return '`' + alias.declaration().name() + '`' + (doc.isEmpty() ? "" : " (" + doc.first() + ")");
  }

  /** Returns a string literal. */
  private static String quoted(@Nullable String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : (text == null ? "" : text).toCharArray()) {
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f) {
        out.append(String.format("\\%03o", (int) c));
      } else if (Doc.isInvisible(c)) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
