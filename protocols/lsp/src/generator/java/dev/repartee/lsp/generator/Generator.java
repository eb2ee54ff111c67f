package dev.repartee.lsp.generator;

import dev.repartee.json.Json;
import dev.repartee.lsp.generator.MetaModel.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Generates the types of LSP from its meta model. The build runs it before it compiles the module.
 *
 * <p>Files that are the same are not written again, and those that are not generated any more are
 * deleted, so that the compiler has work only after a change.
 */
public final class Generator {
  static final String TYPES = "dev.repartee.lsp.types";
  static final String HANDLERS = "dev.repartee.lsp.handlers";

  private static final List<String> IMPORTS = List.of(
      "dev.repartee.Lane",
      "dev.repartee.Rpc",
      "dev.repartee.json.Json",
      "dev.repartee.json.JsonException",
      "dev.repartee.json.JsonReader",
      "dev.repartee.json.JsonWriter",
      "dev.repartee.json.MemberNames",
      "dev.repartee.json.UnknownMembers",
      "java.util.ArrayList",
      "java.util.LinkedHashMap",
      "java.util.List",
      "java.util.Map",
      "java.util.Objects",
      "java.util.Optional",
      "java.util.concurrent.CompletableFuture",
      "org.jspecify.annotations.Nullable");

  private final Map<String, String> files = new LinkedHashMap<>();

  private Generator() {}

  /** Takes two arguments: the file of the meta model, and the folder of the sources. */
  public static void main(String[] args) throws IOException {
    MetaModel model = Json.parse(Files.readAllBytes(Path.of(args[0]))).as(MetaModel.class);
    Generator generator = new Generator();
    generator.generate(model);
    generator.store(Path.of(args[1]));
  }

  private void generate(MetaModel model) {
    Types types = new Types(model);
    // The first pass collects the unions, so that the second one knows them all.
    for (int pass = 0; pass < 2; pass++) {
      files.clear();
      model.structures().stream()
          .filter(each -> !each.name().startsWith("_"))
          .forEach(each -> add(TYPES, each.name(), RecordWriter.source(types, each)));
      model.enumerations().forEach(each -> add(TYPES, each.name(), EnumWriter.source(types, each)));
      handlers(model, new HandlerWriter(types));
    }
    types.unions.values().forEach(each -> {
      add(TYPES, each.name(), new UnionWriter(types, each).type());
      add(TYPES, each.name() + "Json", new UnionWriter(types, each).codec());
    });
    add(TYPES, "Containers", containers(types));
  }

  private void handlers(MetaModel model, HandlerWriter writer) {
    List<Message> messages = Stream.concat(
            model.requests().stream(), model.notifications().stream())
        .filter(each -> !each.method().equals("$/cancelRequest")) // the engine handles it
        .toList();
    for (Message each : messages) {
      add(HANDLERS, each.handler(), writer.handler(each));
    }
    add(HANDLERS, "LanguageServer", writer.side("LanguageServer", "clientToServer", messages));
    add(HANDLERS, "LanguageClient", writer.side("LanguageClient", "serverToClient", messages));
    add(
        HANDLERS,
        "AsyncLanguageServer",
        writer.asyncSide("AsyncLanguageServer", "clientToServer", messages));
    add(
        HANDLERS,
        "AsyncLanguageClient",
        writer.asyncSide("AsyncLanguageClient", "serverToClient", messages));
  }

  /** Returns the class that reads and writes arrays and maps. */
  private static String containers(Types types) {
    StringBuilder out = new StringBuilder("/** Reads and writes arrays and maps. */\n");
    out.append("final class Containers {\n  private Containers() {}\n");
    types.containers.forEach((id, container) -> {
      String java = container.boxed();
      String read = container.element().read();
      String element = container.element().boxed();
      out.append("\n  static ")
          .append(java)
          .append(" read")
          .append(id)
          .append("(JsonReader in) {\n");
      out.append("    ").append(java).append(" all = new ");
      out.append(container.isMap() ? "LinkedHashMap" : "ArrayList").append("<>();\n");
      if (container.isMap()) {
        out.append("    in.enterObject();\n    while (in.more()) {\n");
        out.append("      String name = in.readName();\n");
        out.append(
            "      if (all.containsKey(name)) {\n        throw Wire.twice(name);\n      }\n");
        out.append("      try {\n");
        out.append("        all.put(name, ").append(read).append(");\n");
        out.append("      } catch (JsonException e) {\n");
        out.append("        throw e.in(\"member \" + Wire.quote(name));\n      }\n");
      } else {
        out.append("    in.enterArray();\n    while (in.more()) {\n      try {\n");
        out.append("        all.add(").append(read).append(");\n");
        out.append("      } catch (JsonException e) {\n");
        out.append("        throw e.in(\"element \" + all.size());\n      }\n");
      }
      out.append("    }\n    return all;\n  }\n\n");
      out.append("  static void write").append(id).append("(JsonWriter out, ").append(java);
      out.append(" all) {\n    boolean first = true;\n");
      if (container.isMap()) {
        out.append("    out.open('{');\n    for (Map.Entry<String, ").append(element);
        out.append("> each : all.entrySet()) {\n");
        out.append("      if (!first) {\n        out.put(',');\n      }\n      first = false;\n");
        out.append("      out.string(each.getKey()).put(':');\n      ");
        out.append(container.element().write("each.getValue()")).append(";\n    }\n");
        out.append("    out.close('}');\n  }\n");
      } else {
        out.append("    out.open('[');\n    for (").append(element).append(" each : all) {\n");
        out.append(
            "      if (!first) {\n        out.put(',');\n      }\n      first = false;\n      ");
        out.append(container.element().write("each")).append(";\n    }\n");
        out.append("    out.close(']');\n  }\n");
      }
    });
    return file(TYPES, out.append("}\n").toString());
  }

  /** Returns a source file with the imports that the body needs. */
  static String file(String inside, String body) {
    StringBuilder out = new StringBuilder("package ").append(inside).append(";\n\n");
    String code = body.replaceAll("(?m)^ *(/\\*\\*| \\*).*$", "");
    for (String each : IMPORTS) {
      String simple = each.substring(each.lastIndexOf('.') + 1);
      if (Pattern.compile("\\b" + simple + "\\b").matcher(code).find()) {
        out.append("import ").append(each).append(";\n");
      }
    }
    if (inside.equals(HANDLERS)) {
      out.append("import ").append(TYPES).append(".*;\n");
    }
    return out.append('\n').append(body).toString();
  }

  private void add(String inside, String name, String source) {
    if (files.put(inside.replace('.', '/') + "/" + name + ".java", source) != null) {
      throw new IllegalArgumentException("two types have the name " + name);
    }
  }

  private void store(Path folder) throws IOException {
    for (Map.Entry<String, String> each : files.entrySet()) {
      Path file = folder.resolve(each.getKey());
      Files.createDirectories(file.getParent());
      if (!Files.exists(file) || !Files.readString(file).equals(each.getValue())) {
        Files.writeString(file, each.getValue());
      }
    }
    try (Stream<Path> all = Files.walk(folder)) {
      all.filter(Files::isRegularFile)
          .filter(each -> !files.containsKey(folder.relativize(each).toString().replace('\\', '/')))
          .forEach(Generator::delete);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
