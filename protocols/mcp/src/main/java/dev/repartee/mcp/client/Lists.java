package dev.repartee.mcp.client;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.http.StreamableHttpChannel;
import dev.repartee.mcp.http.MirroredHeaders;
import dev.repartee.mcp.wire.JsonObjectReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The lists of a server, page by page, and the tools that are known from them. Thread-safe. */
final class Lists {
  /** The maximum number of entries of a list. */
  private static final int MOST = 100_000;

  private final Settings settings;
  private final Requests requests;
  private final ResultCache cache;
  private final Map<String, RemoteTool> known = new ConcurrentHashMap<>();
  private volatile @Nullable CompletableFuture<?> loading;

  Lists(Settings settings, Requests requests, ResultCache cache) {
    this.settings = settings;
    this.requests = requests;
    this.cache = cache;
  }

  Stream<RemoteTool> tools() {
    return stream("tools/list", "tools", this::tools);
  }

  /** Returns the entries of a list, of which one page at a time is fetched. */
  <T> Stream<T> stream(
      String method, String member, BiFunction<Requests.Answer, List<Json>, List<T>> reader) {
    Iterator<T> entries = new Pages<>(method, member, reader);
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(entries, Spliterator.ORDERED | Spliterator.NONNULL),
        false);
  }

  private CompletableFuture<Requests.Answer> page(String method, @Nullable Json cursor) {
    String key = method + " " + (cursor == null ? "" : cursor);
    Requests.Answer kept = cache.get(key);
    if (kept != null) {
      return CompletableFuture.completedFuture(kept);
    }
    Json params = cursor == null ? Json.EMPTY_OBJECT : Json.of(Map.of("cursor", cursor));
    return Futures.map(requests.send(Outgoing.of(method, params, settings.timeout())), answer -> {
      cache.put(key, answer);
      return answer;
    });
  }

  private static @Nullable Json following(String method, Requests.Answer answer, Set<Json> seen) {
    Json cursor = answer.members().get("nextCursor");
    if (cursor == null || cursor.isNull()) {
      return null;
    }
    if (cursor.kind() != Json.Kind.STRING) {
      throw Answers.broken(method, answer.link().server(), "nextCursor: expected a string");
    }
    if (!seen.add(cursor)) {
      throw Answers.broken(
          method, answer.link().server(), "the nextCursor " + cursor + " came a second time");
    }
    return cursor;
  }

  private static List<Json> entries(String method, String member, Requests.Answer answer) {
    return Answers.read(
        method,
        answer.link().server(),
        answer.json(),
        json -> Answers.elements(Answers.object(json), member));
  }

  private final class Pages<T> implements Iterator<T> {
    private final String method;
    private final String member;
    private final BiFunction<Requests.Answer, List<Json>, List<T>> reader;
    private final Set<Json> seen = new HashSet<>();
    private Iterator<T> page = List.<T>of().iterator();
    private @Nullable Json cursor;
    private boolean begun;
    private int count;

    Pages(String method, String member, BiFunction<Requests.Answer, List<Json>, List<T>> reader) {
      this.method = method;
      this.member = member;
      this.reader = reader;
    }

    @Override
    public boolean hasNext() {
      while (!page.hasNext() && (!begun || cursor != null)) {
        begun = true;
        Requests.Answer answer = Futures.await(page(method, cursor), method);
        List<Json> entries = entries(method, member, answer);
        count += entries.size();
        if (count > MOST) {
          throw Answers.broken(
              method, answer.link().server(), "the list has more than " + MOST + " entries");
        }
        page = reader.apply(answer, entries).iterator();
        cursor = following(method, answer, seen);
      }
      return page.hasNext();
    }

    @Override
    public T next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return page.next();
    }
  }

  // ---------------------------------------------------------------- tools

  /** Reads tools and remembers them. Over HTTP leaves out those with an invalid header mark. */
  private List<RemoteTool> tools(Requests.Answer answer, List<Json> entries) {
    StreamableHttpChannel http = answer.link().http();
    List<RemoteTool> tools = new ArrayList<>(entries.size());
    boolean marked = false;
    for (int i = 0; i < entries.size(); i++) {
      int index = i;
      RemoteTool tool = Answers.read("tools/list", answer.link().server(), entries.get(i), json -> {
        try {
          return RemoteTool.of(json);
        } catch (RpcException e) {
          throw JsonObjectReader.invalid(
              "tools[" + index + "]: " + e.error().message().replaceFirst("^Invalid params: ", ""));
        }
      });
      if (http != null && answer.link().isStateless()) {
        try {
          marked |= !tool.mirrored().isEmpty();
        } catch (IllegalArgumentException e) {
          settings
              .options()
              .listener()
              .violation(
                  answer.link().peer().channel(),
                  "the tool '" + tool.name() + "' is left out: " + e.getMessage());
          known.remove(tool.name());
          continue;
        }
      }
      if (known.size() < MOST || known.containsKey(tool.name())) {
        known.put(tool.name(), tool);
      }
      tools.add(tool);
    }
    if (http != null && marked) {
      mirror(http);
    }
    return tools;
  }

  /** Tells a connection which arguments it has to mirror. */
  void mirror(StreamableHttpChannel http) {
    Map<String, List<MirroredHeaders.Mirrored>> mirrored = new HashMap<>();
    known.forEach((name, tool) -> {
      try {
        List<MirroredHeaders.Mirrored> ofTool = tool.mirrored();
        if (!ofTool.isEmpty()) {
          mirrored.put(name, ofTool);
        }
      } catch (IllegalArgumentException e) {
        // Known from a connection of another revision, which has no such marks.
      }
    });
    http.mirrored(mirrored);
  }

  /** Returns a tool that an earlier page has shown, or null. */
  @Nullable RemoteTool known(String name) {
    return known.get(name);
  }

  /** Returns a tool, after fetching the list if no list was fetched yet; null if there is none. */
  CompletableFuture<@Nullable RemoteTool> find(String name) {
    RemoteTool tool = known.get(name);
    if (tool != null) {
      return CompletableFuture.completedFuture(tool);
    }
    CompletableFuture<?> all = loading;
    return (all == null ? load() : all).thenApply(nothing -> known.get(name));
  }

  /** Fetches the list of tools again. */
  CompletableFuture<?> load() {
    cache.forget("tools/list ");
    CompletableFuture<?> all = load(null, new HashSet<>());
    loading = all;
    all.whenComplete((nothing, failure) -> {
      if (failure != null && loading == all) {
        loading = null;
      }
    });
    return all;
  }

  private CompletableFuture<?> load(@Nullable Json cursor, Set<Json> seen) {
    return page("tools/list", cursor).thenCompose(answer -> {
      tools(answer, entries("tools/list", "tools", answer));
      Json next = following("tools/list", answer, seen);
      return next == null || known.size() >= MOST
          ? CompletableFuture.completedFuture(null)
          : load(next, seen).thenApply(nothing -> null);
    });
  }
}
