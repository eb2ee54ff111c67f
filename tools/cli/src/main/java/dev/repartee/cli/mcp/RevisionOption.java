package dev.repartee.cli.mcp;

import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.Revision;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option of the clients of MCP for the revisions that they use. */
final class RevisionOption {
  @Option(
      names = "--revision",
      paramLabel = "REVISION",
      split = ",",
      hideParamSyntax = true,
      converter = Converter.class,
      description = """
          Use only this revision of MCP, such as 2025-11-25; may be repeated, or a list with commas. Only revisions \
          before 2026-07-28 allow a server to request input with its own requests. Default: all.""")
  List<Revision> revisions = List.of();

  /** Restricts a client to the revisions, if any are given. */
  McpClient.Builder on(McpClient.Builder client) {
    return revisions.isEmpty() ? client : client.revisions(revisions.toArray(new Revision[0]));
  }

  /** Parses the date of a revision. */
  static final class Converter implements ITypeConverter<Revision> {
    @Override
    public Revision convert(String label) {
      Revision revision = Revision.of(label);
      if (revision == null) {
        throw new TypeConversionException("'" + label + "' is not a revision of MCP; known are "
            + Arrays.stream(Revision.values())
                .map(Revision::label)
                .collect(Collectors.joining(", ")));
      }
      return revision;
    }
  }
}
