package dev.repartee.generator;

import dev.repartee.generator.MetaModel.Enumeration;
import dev.repartee.generator.MetaModel.Message;
import dev.repartee.generator.MetaModel.Structure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Generates the sources of a protocol from its model. Sources that every protocol needs, such as
 * the binder, are templates.
 *
 * <p>Unchanged files are not written again, and files that are no longer generated are deleted. The
 * compiler therefore has work only after a change.
 */
final class Generator {
  /** The package of the templates; the package of the protocol replaces it. */
  private static final String TEMPLATE = "dev.repartee.generator.template";

  private final Map<String, String> files = new LinkedHashMap<>();
  private final Protocol protocol;

  /** Creates a generator without files. */
  Generator(Protocol protocol) {
    this.protocol = protocol;
  }

  /**
   * Writes the sources of a protocol below a folder, and the metadata for native images to a file.
   */
  static void run(Protocol protocol, MetaModel model, Path folder, Path templates, Path metadata)
      throws IOException {
    Generator generator = new Generator(protocol);
    NativeImageMetadata image = generator.generate(model);
    generator.copy(templates);
    generator.store(folder);
    Files.createDirectories(metadata.getParent());
    Files.writeString(metadata, image.json());
  }

  private NativeImageMetadata generate(MetaModel model) {
    Types types = new Types(model, protocol);
    // The first pass collects the unions; the second one then knows all of them.
    for (int pass = 0; pass < 2; pass++) {
      files.clear();
      records(model, types);
      model
          .enumerations()
          .forEach(each -> add(Protocol.TYPES, each.name(), EnumWriter.source(types, each)));
      handlers(model, new HandlerWriter(types));
      partialResults(model, types);
    }
    unions(types);
    types
        .unions
        .values()
        .forEach(each ->
            add(Protocol.TYPES, each.name() + "Json", new UnionWriter(types, each).codec()));
    add(Protocol.TYPES, "Containers", containers(types));
    return metadata(model, types);
  }

  /** Adds the records of the structures. */
  void records(MetaModel model, Types types) {
    model.structures().stream()
        .filter(each -> !each.name().startsWith("_"))
        .filter(each -> !protocol.own().contains(each.name()))
        .forEach(each -> add(Protocol.TYPES, each.name(), RecordWriter.source(types, each)));
  }

  /** Adds the interfaces of the unions found so far. */
  void unions(Types types) {
    types
        .unions
        .values()
        .forEach(each -> add(Protocol.TYPES, each.name(), new UnionWriter(types, each).type()));
  }

  /** Adds the unions of partial results, which no message refers to: they are values of progress. */
  private static void partialResults(MetaModel model, Types types) {
    model.requests().stream()
        .flatMap(each -> each.partialResult().stream())
        .filter(each -> each.kind().equals("reference"))
        .forEach(each -> types.shape(each, each.name().orElseThrow(), Optional.empty()));
  }

  private NativeImageMetadata metadata(MetaModel model, Types types) {
    NativeImageMetadata image = new NativeImageMetadata(protocol);
    Stream.of(
            model.structures().stream().map(Structure::name).filter(each -> !each.startsWith("_")),
            model.enumerations().stream().map(Enumeration::name),
            protocol.own().stream())
        .flatMap(each -> each)
        .forEach(each -> image.type(each, each));
    types.unions.keySet().forEach(each -> image.type(each, each + "Json"));
    messages(model).forEach(each -> image.handler(each.handler()));
    for (String side : List.of(protocol.server(), protocol.client())) {
      image.side(side);
      image.side("Async" + side);
    }
    return image;
  }

  private List<Message> messages(MetaModel model) {
    return Stream.concat(model.requests().stream(), model.notifications().stream())
        .filter(each -> !each.method().equals(protocol.cancel())) // the engine handles it
        .toList();
  }

  private void handlers(MetaModel model, HandlerWriter writer) {
    List<Message> messages = messages(model);
    for (Message each : messages) {
      add(Protocol.HANDLERS, each.handler(), writer.handler(each));
    }
    for (boolean server : new boolean[] {true, false}) {
      String name = server ? protocol.server() : protocol.client();
      add(Protocol.HANDLERS, name, writer.side(name, server, messages));
      add(Protocol.HANDLERS, "Async" + name, writer.asyncSide("Async" + name, server, messages));
    }
  }

  /** Returns the class that reads and writes arrays and maps. */
  private String containers(Types types) {
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
    return protocol.file(Protocol.TYPES, out.append("}\n").toString());
  }

  private void copy(Path templates) throws IOException {
    try (Stream<Path> all = Files.walk(templates)) {
      for (Path each : all.filter(Files::isRegularFile).toList()) {
        String name = each.getFileName().toString();
        add(
            templates.relativize(each).getParent().toString().replace('\\', '/'),
            name.substring(0, name.indexOf('.')),
            Files.readString(each).replace(TEMPLATE, protocol.base()));
      }
    }
  }

  /** Adds a source file to a package inside of the package of the protocol. */
  void add(String inside, String name, String source) {
    if (files.put(protocol.base().replace('.', '/') + "/" + inside + "/" + name + ".java", source)
        != null) {
      throw new IllegalArgumentException("two types have the name " + name);
    }
  }

  /** Writes the files, and deletes the files of earlier runs. */
  void store(Path folder) throws IOException {
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
