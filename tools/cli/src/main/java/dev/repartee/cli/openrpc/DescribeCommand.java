package dev.repartee.cli.openrpc;

import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.options.Suggestion;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Table;
import dev.repartee.json.Json;
import dev.repartee.json.JsonLayout;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.openrpc.ContentDescriptor;
import dev.repartee.openrpc.ErrorDescriptor;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.mock.ExampleCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code repartee describe}: describes a method of a server or of a document. */
@Command(description = """
        Describes a method of a server, or of an OpenRPC document: its signature, parameters, \
        result and errors, the JSON Schemas of its values, and an example call to paste.""", footer = """
          repartee describe http://127.0.0.1:8645/ subtract
          repartee describe openrpc.json eth_getBalance
          repartee describe http://127.0.0.1:8646/mcp hypot

        Exit codes: 0 ok, 2 usage, no such method or no valid document, 3 cannot connect, 4 \
        timeout or connection lost, 5 the peer broke the protocol.""")
public final class DescribeCommand extends Subcommand {
  @Parameters(index = "0", paramLabel = "URI|FILE", description = DocumentOptions.SOURCE)
  String source = "";

  @Parameters(index = "1", paramLabel = "METHOD", description = "The name of the method.")
  String name = "";

  @Mixin
  final DocumentOptions options = new DocumentOptions();

  @Override
  public Integer call() {
    OpenRpc document = options.document(source, stdio);
    MethodDescriptor served = document.method(name);
    MethodDescriptor method = served == null ? document.notification(name) : served;
    if (method == null) {
      String suggestion = Suggestion.of(
          name,
          Stream.concat(document.methods().stream(), document.notifications().stream())
              .map(MethodDescriptor::name)
              .toList());
      throw Failure.usage("there is no method '" + name + "'"
          + (suggestion.isEmpty() ? "; 'repartee list' shows all" : suggestion));
    }
    stdio.text(Signature.of(method));
    print(text(method));
    print(parameters(method));
    print(result(method));
    print(errors(method));
    print(schemas(document, method));
    if (method.sent()) {
      return Exit.OK; // nobody can call it
    }
    stdio.text("\nExample\n  " + new ExampleCalls(document).of(method).repartee(server(document)));
    return Exit.OK;
  }

  private void print(String text) {
    if (!text.isEmpty()) {
      stdio.text("\n" + text);
    }
  }

  private static String text(MethodDescriptor method) {
    String text = method.text();
    return !method.deprecated() ? text : text.isEmpty() ? "Deprecated." : "Deprecated.\n\n" + text;
  }

  private String parameters(MethodDescriptor method) {
    List<ContentDescriptor> params = method.params();
    if (params == null) {
      return "Parameters\n  not described";
    }
    Table table = new Table();
    for (ContentDescriptor param : params) {
      table.row(
          param.name(),
          TypeText.of(param.schema()),
          param.variadic() ? "repeated" : param.required() ? "required" : "optional",
          about(param));
    }
    return indented("Parameters", table);
  }

  private static String about(ContentDescriptor content) {
    String description = content.description() == null
        ? content.schema().string("description")
        : content.description();
    String text = content.summary() == null ? description : content.summary();
    return text == null ? "" : text.strip();
  }

  private static String result(MethodDescriptor method) {
    ContentDescriptor result = method.result();
    if (result == null) {
      return "Result\n  none: it is a notification"
          + (method.sent() ? " that the server sends" : "");
    }
    String about = about(result);
    String item = method.stream() == null ? "" : "stream of ";
    return "Result\n  " + item + TypeText.of(result.schema())
        + (about.isEmpty() ? "" : "  " + about);
  }

  private String errors(MethodDescriptor method) {
    Table table = new Table();
    for (ErrorDescriptor error : method.errors()) {
      table.row(String.valueOf(error.code()), error.message());
    }
    return indented("Errors", table);
  }

  private String indented(String heading, Table table) {
    return table.isEmpty()
        ? ""
        : heading + "\n" + table.text(stdio.width()).indent(2).stripTrailing();
  }

  /** Returns the schemas that have more than a type, with the definitions they refer to. */
  private static String schemas(OpenRpc document, MethodDescriptor method) {
    List<String> parts = new ArrayList<>();
    List<ContentDescriptor> contents = new ArrayList<>();
    if (method.params() != null) {
      contents.addAll(method.params());
    }
    if (method.result() != null) {
      contents.add(method.result());
    }
    for (ContentDescriptor content : contents) {
      Json schema = shown(document, content);
      if (schema != null) {
        parts.add("Schema of " + content.name() + "\n" + JsonLayout.INDENTED.text(schema));
      }
    }
    return String.join("\n\n", parts);
  }

  private static @Nullable Json shown(OpenRpc document, ContentDescriptor content) {
    if (content.schema().kind() != Json.Kind.OBJECT) {
      return null;
    }
    JsonObjectBuilder schema = new JsonObjectBuilder();
    document.standalone(content).members().forEach((name, value) -> {
      if (!name.equals("$schema")) {
        schema.put(name, value);
      }
    });
    Json shown = schema.build();
    return shown.members().size() <= 1
            && shown.get("$ref") == null
            && (shown.get("type") != null || shown.members().isEmpty())
        ? null
        : shown;
  }

  /** Returns the server for the example: the source, or the first server of the document. */
  private String server(OpenRpc document) {
    if (!DocumentOptions.isFile(source)) {
      return source;
    }
    Json servers = document.json().get("servers");
    Json first = servers == null ? null : servers.at(0);
    String url = first == null ? null : first.string("url");
    return url == null || url.contains("{") || !url.contains("://") ? "URI" : url;
  }
}
