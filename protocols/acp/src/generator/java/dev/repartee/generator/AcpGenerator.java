package dev.repartee.generator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * Generates the types of the Agent Client Protocol from its model. The build runs it before the
 * compiler.
 */
public final class AcpGenerator {
  private static final Protocol ACP = new Protocol(
      "dev.repartee.acp",
      "RemoteAgent",
      "RemoteClient",
      "remote agent",
      "remote client",
      "a notification",
      "$/cancel_request",
      Set.of(),
      Map.of(),
      Map.of(),
      Set.of(),
      member -> false,
      false);

  private AcpGenerator() {}

  /**
   * Expects four arguments: the file of the model, the folder of the sources, the folder of the
   * templates, and the file of the metadata for native images.
   */
  public static void main(String[] args) throws IOException {
    MetaModel model = new AcpModel().read(Files.readAllLines(Path.of(args[0])));
    Generator.run(ACP, model, Path.of(args[1]), Path.of(args[2]), Path.of(args[3]));
  }
}
