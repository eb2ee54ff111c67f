package dev.repartee.mcp;

import java.util.Map;

/** A resource template, its reader, and the completers of its variables by their names. */
record ServedTemplate(
    ResourceTemplate template,
    UriTemplate uris,
    ResourceTemplate.Reader reader,
    Map<String, Prompt.Completer> completers) {
  static ServedTemplate of(
      ResourceTemplate template,
      ResourceTemplate.Reader reader,
      Map<String, Prompt.Completer> completers) {
    UriTemplate uris = new UriTemplate(template.uriTemplate());
    if (!uris.names().containsAll(completers.keySet())) {
      throw new IllegalArgumentException("'" + template.uriTemplate() + "' has no variables "
          + completers.keySet() + " but " + uris.names());
    }
    return new ServedTemplate(template, uris, reader, Map.copyOf(completers));
  }
}
