package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.zeromq.ZMQ;

/**
 * The handler of the ZeroMQ Authentication Protocol (RFC 27): decides for each encrypted connection
 * whether its client is admitted. Used by one thread.
 */
final class Admission {
  private static final String ADDRESS = "inproc://zeromq.zap.01";

  /** The version, the request id, domain, address, identity, mechanism and public key. */
  private static final int FRAMES = 7;

  private final ZMQ.Socket socket;
  private final CurveKeys keys;
  private final Consumer<String> report;

  /** Creates a handler on a REP socket, which the caller closes. */
  Admission(ZMQ.Socket socket, CurveKeys keys, Consumer<String> report) {
    this.socket = socket;
    this.keys = keys;
    this.report = report;
    socket.setLinger(0);
    socket.bind(ADDRESS);
  }

  ZMQ.Socket socket() {
    return socket;
  }

  /** Answers all waiting requests. */
  void answer() {
    for (byte[] next = socket.recv(ZMQ.DONTWAIT); next != null; next = socket.recv(ZMQ.DONTWAIT)) {
      List<byte[]> question = new ArrayList<>(List.of(next));
      while (socket.hasReceiveMore()) {
        question.add(socket.recv());
      }
      boolean isAdmitted = isAdmitted(question);
      byte[] id = question.size() > 1 ? question.get(1) : new byte[0];
      socket.send("1.0", ZMQ.SNDMORE);
      socket.send(id, ZMQ.SNDMORE);
      socket.send(isAdmitted ? "200" : "400", ZMQ.SNDMORE);
      socket.send(isAdmitted ? "OK" : "unknown key", ZMQ.SNDMORE);
      socket.send("", ZMQ.SNDMORE);
      socket.send("");
    }
  }

  private boolean isAdmitted(List<byte[]> question) {
    Set<String> admitted = keys.clients();
    if (admitted == null) {
      return true;
    }
    boolean isKey = question.size() == FRAMES && question.get(FRAMES - 1).length == CurveKeys.SIZE;
    String key = isKey ? ZMQ.Curve.z85Encode(question.get(FRAMES - 1)) : "";
    if (admitted.contains(key)) {
      return true;
    }
    report.accept("the client "
        + new String(question.get(Math.min(3, question.size() - 1)), ISO_8859_1)
        + " was refused: its key '" + key + "' is not in the file of the option "
        + CurveKeys.CLIENTS);
    return false;
  }
}
