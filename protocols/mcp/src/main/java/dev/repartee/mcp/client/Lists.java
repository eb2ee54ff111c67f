package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import dev.repartee.mcp.client.http.StreamableHttpChannel;
import dev.repartee.mcp.http.MirroredHeaders;
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
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Fetches the lists of a server page by page, and remembers the tools from them. Thread-safe. */
final class Lists {
  /** The maximum number of entries of a list. */
  private static final int MOST = 100_000;

  /** The maximum number of pages of a list. A page may be empty. */
  private static final int PAGES = 10_000;

  /** The maximum number of bytes of all pages of a list, and of the remembered tools. */
  private static final int BYTES = 64 << 20;

  /** The maximum length of a cursor, in bytes. */
  private static final int CURSOR = 16 << 10;

  private final Settings settings;
  private final Requests requests;
  private final ResultCache cache;
  private final Map<String, RemoteTool> known = new ConcurrentHashMap<>();
  private long knownBytes; // guarded by known
  private @Nullable CompletableFuture<?> loading; // guarded by this

  Lists(Settings settings, Requests requests, ResultCache cache) {
    this.settings = settings;
    this.requests = requests;
    this.cache = cache;
  }

  Stream<RemoteTool> tools() {
    return stream("tools/list", "tools", this::tools);
  }

  /** Returns the entries of a list. The stream fetches one page at a time. */
  private <T> Stream<T> stream(
      String method, String member, BiFunction<Requests.Answer, List<Json>, List<T>> reader) {
    Iterator<T> entries = new Pages<>(method, member, reader);
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(entries, Spliterator.ORDERED | Spliterator.NONNULL),
        false);
  }

  /** Returns the entries of a list; {@code reader} converts one entry. */
  <T> Stream<T> stream(String method, String member, Function<Json, T> reader) {
    return stream(method, member, (answer, entries) -> {
      List<T> all = new ArrayList<>(entries.size());
      for (Json entry : entries) {
        all.add(Answers.read(method, answer.link().server(), entry, reader));
      }
      return all;
    });
  }

  private Requests.Answer page(String method, @Nullable Json cursor) {
    return cursor == null
        ? cached(method, "", Json.EMPTY_OBJECT)
        : cached(method, cursor.toString(), Json.of(Map.of("cursor", cursor)));
  }

  /**
   * Returns the answer to a request, from the cache for the time that the server allows.
   *
   * @param key the part of the params by which the answers of the method differ
   */
  Requests.Answer cached(String method, String key, Json params) {
    String whole = method + " " + key;
    Requests.Answer kept = cache.get(whole);
    if (kept != null) {
      return kept;
    }
    long before = cache.changes();
    Requests.Answer answer =
        Futures.await(requests.send(Outgoing.of(method, params, settings.timeout())), method);
    cache.put(whole, answer, before);
    return answer;
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
    private int pages;
    private long bytes;
    private int count;

    Pages(String method, String member, BiFunction<Requests.Answer, List<Json>, List<T>> reader) {
      this.method = method;
      this.member = member;
      this.reader = reader;
    }

    @Override
    public boolean hasNext() {
      while (!page.hasNext() && (pages == 0 || cursor != null)) {
        Requests.Answer answer = page(method, cursor);
        List<Json> entries = entries(method, member, answer);
        pages++;
        count += entries.size();
        bytes += answer.json().length();
        require(count <= MOST, answer, "the list has more than " + MOST + " entries");
        require(bytes <= BYTES, answer, "the list has more than " + BYTES + " bytes");
        cursor = following(answer);
        require(
            cursor == null || pages < PAGES, answer, "the list has more than " + PAGES + " pages");
        page = reader.apply(answer, entries).iterator();
      }
      return page.hasNext();
    }

    private @Nullable Json following(Requests.Answer answer) {
      Json next = answer.members().get("nextCursor");
      if (next == null || next.isNull()) {
        return null;
      }
      require(next.kind() == Json.Kind.STRING, answer, "nextCursor: expected a string");
      require(next.length() <= CURSOR, answer, "the nextCursor has more than " + CURSOR + " bytes");
      require(seen.add(next), answer, "the nextCursor " + next + " came a second time");
      return next;
    }

    private void require(boolean holds, Requests.Answer answer, String rule) {
      if (!holds) {
        throw Answers.broken(method, answer.link().server(), rule);
      }
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

  /** Reads tools and remembers them. Over HTTP leaves out tools with an invalid header mark. */
  private List<RemoteTool> tools(Requests.Answer answer, List<Json> entries) {
    StreamableHttpChannel http = answer.link().http();
    List<RemoteTool> tools = new ArrayList<>(entries.size());
    boolean marked = false;
    for (int i = 0; i < entries.size(); i++) {
      int index = i;
      RemoteTool tool = Answers.read(
          "tools/list",
          answer.link().server(),
          entries.get(i),
          json -> Answers.at("tools[" + index + "]", json, RemoteTool::of));
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
          remember(tool.name(), null);
          continue;
        }
      }
      remember(tool.name(), tool);
      tools.add(tool);
    }
    if (http != null && marked) {
      mirror(http);
    }
    return tools;
  }

  /** Remembers a tool, or forgets it if null. If the memory is full, forgets all other tools. */
  private void remember(String name, @Nullable RemoteTool tool) {
    synchronized (known) {
      RemoteTool before = known.remove(name);
      knownBytes -= before == null ? 0 : before.json().length();
      if (tool == null) {
        return;
      }
      int size = tool.json().length();
      if (known.size() >= MOST || knownBytes + size > BYTES) {
        known.clear();
        knownBytes = 0;
      }
      known.put(name, tool);
      knownBytes += size;
    }
  }

  /** Sets the arguments that a connection has to mirror in headers. */
  void mirror(StreamableHttpChannel http) {
    Map<String, List<MirroredHeaders.Mirrored>> mirrored = new HashMap<>();
    known.forEach((name, tool) -> {
      try {
        List<MirroredHeaders.Mirrored> ofTool = tool.mirrored();
        if (!ofTool.isEmpty()) {
          mirrored.put(name, ofTool);
        }
      } catch (IllegalArgumentException e) {
        // The tool comes from a connection of another revision, without header marks.
      }
    });
    http.mirrored(mirrored);
  }

  /** Returns a tool of an earlier page, or null. */
  @Nullable RemoteTool known(String name) {
    return known.get(name);
  }

  /**
   * Returns a tool. Fetches the list first if that has not been done. The future completes with
   * null if the tool does not exist or the list does not arrive within the time.
   */
  CompletableFuture<@Nullable RemoteTool> find(String name, long nanos) {
    RemoteTool tool = known.get(name);
    if (tool != null) {
      return CompletableFuture.completedFuture(tool);
    }
    CompletableFuture<?> all;
    synchronized (this) {
      all = loading == null ? load() : loading;
    }
    return all.<@Nullable RemoteTool>thenApply(nothing -> known.get(name))
        .completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS)
        .handleAsync((found, failure) -> found, Futures.WORKERS);
  }

  /** Fetches the list of tools again, unless it is being fetched. */
  synchronized CompletableFuture<?> load() {
    CompletableFuture<?> last = loading;
    if (last != null && !last.isDone()) {
      return last;
    }
    cache.forget("tools/list ");
    CompletableFuture<?> all =
        CompletableFuture.runAsync(() -> tools().forEach(tool -> {}), Futures.WORKERS);
    loading = all;
    all.whenComplete((nothing, failure) -> {
      if (failure != null) {
        forget(all);
      }
    });
    return all;
  }

  private synchronized void forget(CompletableFuture<?> failed) {
    if (loading == failed) {
      loading = null;
    }
  }
}
