package dev.repartee.generator;

import dev.repartee.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * Generates the types of the Debug Adapter Protocol from its schema. The build runs it before the
 * compiler.
 */
public final class DapGenerator {
  private static final Protocol DAP = new Protocol(
      "dev.repartee.dap",
      "DebugAdapter",
      "DebugClient",
      "debug adapter",
      "debug client",
      "an event",
      "cancel",
      Set.of(
          "initialize",
          "setBreakpoints",
          "setFunctionBreakpoints",
          "setExceptionBreakpoints",
          "setDataBreakpoints",
          "setInstructionBreakpoints",
          "configurationDone"),
      Map.of("INTEGER|STRING", "IntegerOrString"),
      Map.of(),
      Set.of("Configuration"),
      // Zero is the exit code of a success, and the id of another frame or thread.
      member -> !Set.of("exitCode", "id").contains(member),
      false);

  private DapGenerator() {}

  /**
   * Expects four arguments: the file of the schema, the folder of the sources, the folder of the
   * templates, and the file of the metadata for native images.
   */
  public static void main(String[] args) throws IOException {
    Json schema = Json.parse(Files.readAllBytes(Path.of(args[0])));
    Generator.run(
        DAP, new DapSchema(schema).model(), Path.of(args[1]), Path.of(args[2]), Path.of(args[3]));
  }
}
