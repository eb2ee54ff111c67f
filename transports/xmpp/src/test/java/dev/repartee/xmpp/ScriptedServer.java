package dev.repartee.xmpp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** An XMPP server that logs one client in, and is then controlled by the test. */
final class ScriptedServer implements AutoCloseable {
  private static final String PASSWORD = "secret";

  /** The end of the roster request, the first stanza that a service sends. */
  static final String ROSTER = "jabber:iq:roster'/></iq>";

  private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  private final Path password = Files.createTempFile("password", "");
  private final StringBuilder unread = new StringBuilder();
  private Socket socket = new Socket();

  /** The number of times that the client must hash its password. */
  int iterations = 4096;

  ScriptedServer() throws IOException {
    Files.writeString(password, PASSWORD);
  }

  /** Returns the URI of the service {@code math@localhost/json-rpc}. */
  String service() {
    return "xmpp:math@localhost" + options();
  }

  /** Returns the URI of a client of this service. */
  String client() {
    return "xmpp://ann@localhost/math@localhost" + options();
  }

  private String options() {
    return "#tls=off&server=127.0.0.1:" + server.getLocalPort() + "&password-file=" + password;
  }

  /** Waits for a client, and logs it in. */
  void login() throws Exception {
    bind("");
  }

  /**
   * Waits for a client, and logs it in.
   *
   * @param early stanzas that arrive between the two last steps of the login: the client has its
   *     address, and needs a session yet (RFC 3921, section 3)
   */
  void login(String early) throws Exception {
    bind("<session xmlns='urn:ietf:params:xml:ns:xmpp-session'/>");
    send(early + "<iq type='result' id='" + id(next("</iq>")) + "'/>");
  }

  private void bind(String more) throws Exception {
    socket = server.accept();
    socket.setSoTimeout(60_000);
    next("<stream:stream[^>]*>");
    open("<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
        + "<mechanism>SCRAM-SHA-1</mechanism></mechanisms>");
    String hello = sasl("auth").substring("n,,".length());
    String name = hello.replaceAll("n=([^,]*),.*", "$1");
    String salt = Base64.getEncoder().encodeToString(("salt-" + System.nanoTime()).getBytes(UTF_8));
    String challenge = hello.replaceFirst(".*,r=", "r=") + "more,s=" + salt + ",i=" + iterations;
    sasl("challenge", challenge);
    String proof = sasl("response").replaceFirst(",p=.*", "");
    sasl("success", "v=" + signature(salt, hello + "," + challenge + "," + proof));
    next("<stream:stream[^>]*>");
    open("<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>" + more);
    send("<iq type='result' id='" + id(next("</iq>")) + "'>"
        + "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>" + name + "@localhost/json-rpc"
        + "</jid></bind></iq>");
  }

  private static String id(String iq) {
    return group(iq, " id=['\"]([^'\"]*)");
  }

  /** Logs in a service with these items in its roster. */
  void loginService(String roster) throws Exception {
    login();
    next(ROSTER);
    sendRoster(roster);
    next("<presence>.*?</presence>");
  }

  void sendRoster(String items) throws IOException {
    send(
        "<iq type='result' id='roster'><query xmlns='jabber:iq:roster'>" + items + "</query></iq>");
  }

  private void open(String features) throws IOException {
    send("<?xml version='1.0'?><stream:stream xmlns:stream='http://etherx.jabber.org/streams'"
        + " xmlns='jabber:client' id='1' from='localhost' version='1.0'><stream:features>"
        + features + "</stream:features>");
  }

  private String sasl(String name) throws IOException {
    String text = group(next("</" + name + ">"), "<" + name + "[^>]*>([^<]*)</");
    return new String(Base64.getDecoder().decode(text), UTF_8);
  }

  private void sasl(String name, String text) throws IOException {
    send("<" + name + " xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
        + Base64.getEncoder().encodeToString(text.getBytes(UTF_8)) + "</" + name + ">");
  }

  private String signature(String salt, String messages) throws GeneralSecurityException {
    byte[] key = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA1")
        .generateSecret(new PBEKeySpec(
            PASSWORD.toCharArray(), Base64.getDecoder().decode(salt), iterations, 160))
        .getEncoded();
    return Base64.getEncoder().encodeToString(hmac(hmac(key, "Server Key"), messages));
  }

  private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA1");
    mac.init(new SecretKeySpec(key, "HmacSHA1"));
    return mac.doFinal(text.getBytes(UTF_8));
  }

  private static String group(String text, String regex) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException(text);
    }
    return matcher.group(1);
  }

  void send(String xml) throws IOException {
    socket.getOutputStream().write(xml.getBytes(UTF_8));
  }

  /** Waits until the client has sent this, and returns the input up to it. */
  String next(String regex) throws IOException {
    Pattern pattern = Pattern.compile(regex, Pattern.DOTALL);
    InputStream in = socket.getInputStream();
    byte[] bytes = new byte[8192];
    while (true) {
      Matcher matcher = pattern.matcher(unread);
      if (matcher.find()) {
        String text = unread.substring(0, matcher.end());
        unread.delete(0, matcher.end());
        return text;
      }
      int count = in.read(bytes);
      if (count < 0) {
        throw new EOFException("the client has sent no '" + regex + "', but " + unread);
      }
      unread.append(new String(bytes, 0, count, UTF_8));
    }
  }

  /** Calls a method of the service, and returns its answer. */
  String call(String from, String id, String method) throws IOException {
    request(from, id, method);
    return answer(id);
  }

  /** Waits for the answer of the service to an IQ. */
  String answer(String id) throws IOException {
    String iq = "<iq [^>]*id='" + id + "'[^>]*";
    return group(next(iq + "(/>|(?<!/)>.*?</iq>)"), "(?s)(" + iq + ".*)");
  }

  /** Sends a call of a method. */
  void request(String from, String id, String method) throws IOException {
    send(stanza(from, id, method));
  }

  /** Returns the stanza of a call of a method. */
  static String stanza(String from, String id, String method) {
    return """
        <iq type='set' from='%s' to='math@localhost/json-rpc' id='%s'><json \
        xmlns='urn:xmpp:json:0'>{"jsonrpc":"2.0","id":1,"method":"%s"}</json></iq>\
        """.formatted(from, id, method);
  }

  @Override
  public void close() throws IOException {
    socket.close();
    server.close();
    Files.deleteIfExists(password);
  }
}
