package dev.repartee.openrpc;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** Loads the documents that references of an OpenRPC document lead to; see {@link OpenRpc#bundle}. */
@FunctionalInterface
public interface ReferenceLoader {
  /** The maximum size of a file in bytes. */
  int MAX_FILE = 64 << 20;

  /**
   * Returns the text of a document.
   *
   * @param document the URI of the document, without a fragment
   * @throws IOException if it cannot be loaded, or must not be; the message is the end of a sentence
   */
  byte[] load(URI document) throws IOException;

  /** Returns a loader of the files in a folder, and of no others. */
  static ReferenceLoader folder(Path folder) {
    return document -> {
      if (!"file".equals(document.getScheme())) {
        throw new IOException("it is not in the folder '" + folder + "'");
      }
      Path file;
      try {
        file = Path.of(document).toRealPath();
      } catch (IOException | IllegalArgumentException e) {
        throw new IOException("there is no such file", e);
      }
      if (!file.startsWith(folder.toRealPath())) {
        throw new IOException("it is not in the folder '" + folder + "'");
      }
      if (Files.size(file) > MAX_FILE) {
        throw new IOException("the file is larger than 64 MiB");
      }
      return Files.readAllBytes(file);
    };
  }
}
