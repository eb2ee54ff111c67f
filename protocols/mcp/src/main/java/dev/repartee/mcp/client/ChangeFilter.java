package dev.repartee.mcp.client;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The changes that a subscription reports. Immutable.
 *
 * @param tools whether to report changes of the list of tools
 * @param prompts whether to report changes of the list of prompts
 * @param resources whether to report changes of the lists of resources and resource templates
 * @param uris the URIs of the resources to watch
 * @param tasks the ids of tasks to watch
 */
public record ChangeFilter(
    boolean tools, boolean prompts, boolean resources, Set<String> uris, Set<String> tasks) {
  /** All lists, no single resource. */
  public static final ChangeFilter LISTS = new ChangeFilter(true, true, true, Set.of(), Set.of());

  /** No changes. */
  public static final ChangeFilter NONE = new ChangeFilter(false, false, false, Set.of(), Set.of());

  /** Copies the sets. */
  public ChangeFilter {
    uris = Set.copyOf(uris);
    tasks = Set.copyOf(tasks);
  }

  /** Returns a filter for the contents of these resources. */
  public static ChangeFilter resources(String... uris) {
    return new ChangeFilter(false, false, false, Set.of(uris), Set.of());
  }

  /** Returns this filter with one more resource. */
  public ChangeFilter with(String uri) {
    Set<String> more = new LinkedHashSet<>(uris);
    more.add(uri);
    return new ChangeFilter(tools, prompts, resources, more, tasks);
  }
}
