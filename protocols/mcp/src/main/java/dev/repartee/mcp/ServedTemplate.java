package dev.repartee.mcp;

import dev.repartee.mcp.types.ResourceTemplate;
import java.util.Map;

/** A resource template, its reader, and the completers of its variables. Immutable. */
public final class ServedTemplate {
  final ResourceTemplate template;
  final UriTemplate uris;
  final Reader reader;
  final Map<String, Prompt.Completer> completers;

  /**
   * Creates a template.
   *
   * @param completers the completers by the names of the variables
   * @throws IllegalArgumentException if the URI template is not valid, or a name in {@code
   *     completers} is not a variable of it
   */
  public ServedTemplate(
      ResourceTemplate template, Reader reader, Map<String, Prompt.Completer> completers) {
    this.template = template;
    this.uris = new UriTemplate(template.uriTemplate());
    this.reader = reader;
    this.completers = Map.copyOf(completers);
    if (!uris.names().containsAll(completers.keySet())) {
      throw new IllegalArgumentException("'" + template.uriTemplate() + "' has no variables "
          + completers.keySet() + " but " + uris.names());
    }
  }

  /** Reads the contents of a resource that matches a template. */
  @FunctionalInterface
  public interface Reader {
    /**
     * Reads the contents like {@link ServedResource.Reader}.
     *
     * @param uri the URI of the request
     * @param variables the values of the variables, percent-decoded, by their names; a value
     *     contains no control character, and a slash only for {@code {+name}}
     * @throws dev.repartee.RpcException to answer with that JSON-RPC error; throw {@link
     *     McpCall#notFound} if the resource does not exist
     */
    Object read(McpCall call, String uri, Map<String, String> variables) throws Exception;
  }
}
