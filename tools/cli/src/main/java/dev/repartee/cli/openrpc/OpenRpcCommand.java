package dev.repartee.cli.openrpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.json.JsonLayout;
import dev.repartee.openrpc.Change;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcDiff;
import dev.repartee.trace.Recording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee openrpc}: prints the document of a server, or compares two documents. */
@Command(description = """
        Prints the OpenRPC document of a server, or checks a file and prints it.
        'openrpc diff OLD NEW' lists the methods that were added (+), removed (-) and changed (~), \
        and which changes may break callers that were written for the old document.""", footer = """
          repartee openrpc http://127.0.0.1:8645/ > openrpc.json
          repartee openrpc exec:./server
          repartee openrpc --from calls.jsonl
          repartee openrpc diff openrpc.json http://127.0.0.1:8645/

        Exit codes: 0 ok, 1 a change breaks callers, 2 usage or no valid document, 3 cannot \
        connect, 4 timeout or connection lost, 5 the peer broke the protocol.""")
public final class OpenRpcCommand extends Subcommand {
  private static final String DIFF = "diff";

  @Parameters(arity = "0..*", paramLabel = "URI|FILE", description = DocumentOptions.SOURCE + """

          After the word diff: the old and the new document.""")
  List<String> words = new ArrayList<>();

  @Option(names = "--from", paramLabel = "FILE", description = """
          Instead of a source: infer a document from a recording of calls (docs/recording.md), for \
          a server without discovery.""")
  @Nullable Path from;

  @Mixin
  final DocumentOptions options = new DocumentOptions();

  @Override
  public Integer call() {
    if (from != null) {
      return inferred(from);
    }
    if (words.isEmpty()) {
      throw Failure.usage("give the URI of a server, a file, or --from FILE with a recording");
    }
    if (words.get(0).equals(DIFF)) {
      if (words.size() != 3) {
        throw Failure.usage("diff compares two documents: repartee openrpc diff OLD NEW");
      }
      return diff(options.document(words.get(1), stdio), options.document(words.get(2), stdio));
    }
    if (words.size() > 1) {
      throw Failure.usage("unknown argument '" + words.get(1)
          + "'; to compare documents, write 'repartee openrpc diff OLD NEW'");
    }
    return print(options.document(words.get(0), stdio));
  }

  private int print(OpenRpc document) {
    stdio.line(JsonLayout.INDENTED.text(document.json()).getBytes(UTF_8));
    return Exit.OK;
  }

  private int inferred(Path file) {
    if (!words.isEmpty()) {
      throw Failure.usage("--from replaces the source; leave out '" + words.get(0) + "'");
    }
    try (Recording recording = Recording.read(file)) {
      return print(OpenRpc.inferredFrom(recording, String.valueOf(file.getFileName())));
    } catch (NoSuchFileException e) {
      throw Failure.usage("there is no file '" + file + "'");
    } catch (IOException e) {
      throw Failure.usage(Failure.reason(e));
    } catch (UncheckedIOException e) {
      throw Failure.usage(Failure.reason(Objects.requireNonNull(e.getCause())));
    }
  }

  private int diff(OpenRpc old, OpenRpc current) {
    List<Change> changes = OpenRpcDiff.between(old, current);
    int breaking = 0;
    for (Change change : changes) {
      stdio.text(change + (change.breaks() ? " (breaks callers)" : ""));
      breaking += change.breaks() ? 1 : 0;
    }
    stdio.note(
        changes.isEmpty()
            ? "no changes"
            : changes.size()
                + (changes.size() == 1 ? " change, " : " changes, ")
                + breaking
                + (breaking == 1 ? " breaks callers" : " break callers"));
    return breaking > 0 ? Exit.ERROR_RESPONSE : Exit.OK;
  }
}
