package dev.repartee.broker.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A server of XMPP, Prosody. It has the accounts ann, eve and math, all with the password {@code
 * secret}; ann and math are contacts. Services have the account math.
 */
public final class ProsodyServer implements BrokerServer {
  /** The record of the password {@code secret}. */
  private static final String ACCOUNT = """
      return {
        salt = "a-salt-of-the-test"; iteration_count = 4096;
        stored_key = "1754a9135c44c594d81259f97b990fee96add6ca";
        server_key = "bbf64026d147d5f37e4d77e36752c4b2225edf19";
      };
      """;

  private final ServerFolder folder = ServerFolder.create("prosody", this::kill);
  private final int port = Ports.free();
  private @Nullable Process process;

  private ProsodyServer(String config) throws IOException {
    Path accounts = Files.createDirectories(folder.resolve("data/localhost/accounts"));
    for (String name : new String[] {"ann", "eve", "math"}) {
      Files.writeString(accounts.resolve(name + ".dat"), ACCOUNT);
    }
    Path rosters = Files.createDirectories(folder.resolve("data/localhost/roster"));
    contact(rosters.resolve("math.dat"), "ann");
    contact(rosters.resolve("ann.dat"), "math");
    Files.writeString(folder.resolve("password"), "secret\n");
    Files.writeString(folder.resolve("config.lua"), """
        run_as_root = true
        data_path = "FOLDER/data"
        interfaces = { "127.0.0.1" }
        c2s_ports = { PORT }
        s2s_ports = {}
        modules_enabled = { "roster"; "saslauth"; "tls"; "disco"; "ping" }
        modules_disabled = { "s2s" }
        authentication = "internal_hashed"
        c2s_require_encryption = false
        log = { info = "*console" }
        CONFIG
        VirtualHost "localhost"
        """.replace("FOLDER", folder.toString())
        .replace("PORT", String.valueOf(port))
        .replace("CONFIG", config));
  }

  /** Returns the reason why no server can be started; null if it is installed. */
  public static @Nullable String missing() {
    boolean isInstalled = ServerFolder.command("prosody", List.of()).isPresent();
    return isInstalled ? null : "prosody is not installed";
  }

  /**
   * Starts a server.
   *
   * @param config more lines of its configuration
   */
  public static ProsodyServer start(String config) throws IOException, InterruptedException {
    ProsodyServer server = new ProsodyServer(config);
    server.start();
    return server;
  }

  private static void contact(Path file, String name) throws IOException {
    Files.writeString(
        file,
        "return { ['" + name + "@localhost'] = { subscription = 'both'; groups = {} };"
            + " [false] = { version = 1 } };");
  }

  @Override
  public void start() throws IOException, InterruptedException {
    Process started =
        folder.start("prosody", "-F", "--config", folder.resolve("config.lua").toString());
    process = started;
    folder.await(
        started, Pattern.compile("Activated service 'c2s' on \\[127\\.0\\.0\\.1]:" + port));
  }

  @Override
  public int port() {
    return port;
  }

  /** Returns the folder of the server. */
  public Path folder() {
    return folder.path();
  }

  @Override
  public String uri(String service) {
    return "xmpp:math@localhost/" + service + options();
  }

  /** Returns the URI of a client with an account. */
  public String client(String account, String service) {
    return "xmpp://" + account + "@localhost/math@localhost/" + service + options();
  }

  private String options() {
    return "#tls=off&server=127.0.0.1:" + port + "&password-file=" + folder.resolve("password");
  }

  @Override
  public void kill() throws InterruptedException {
    Process running = process;
    if (running != null) {
      running.destroyForcibly().waitFor();
    }
  }

  @Override
  public void signal(String name) throws IOException, InterruptedException {
    Process running = process;
    if (running != null) {
      ServerFolder.signal(running, name);
    }
  }

  @Override
  public void close() throws IOException {
    folder.close();
  }
}
