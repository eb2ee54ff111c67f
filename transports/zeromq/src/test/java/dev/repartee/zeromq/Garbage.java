package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.Arrays;
import java.util.List;

/** Bytes that an attacker may send to the port of a service, of ZeroMQ and of other protocols. */
final class Garbage {
  private static final byte[] CALL = """
      {"jsonrpc":"2.0","id":1,"method":"add","params":[1,1]}""".getBytes(ISO_8859_1);
  private static final byte[] REQUEST = joined(bytes(1, 0, 0, CALL.length), CALL);
  private static final byte[] NULL = greeting("NULL");
  private static final byte[] CURVE = greeting("CURVE");

  /** Frames with sizes of 2^64 - 1, 2^63 + 2^31 - 1, 2^63 - 1 and 2^31 - 1. */
  private static final List<byte[]> SIZES = List.of(
      bytes(2, 255, 255, 255, 255, 255, 255, 255, 255),
      bytes(2, 128, 0, 0, 0, 127, 255, 255, 255),
      bytes(2, 127, 255, 255, 255, 255, 255, 255, 255),
      bytes(2, 0, 0, 0, 0, 127, 255, 255, 255));

  /** The inputs. */
  static final List<byte[]> ALL = List.of(
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(ISO_8859_1),
      joined(CALL, bytes('\n')),
      new byte[1_000],
      joined(NULL, SIZES.get(0)),
      joined(NULL, SIZES.get(1)),
      joined(NULL, SIZES.get(2)),
      joined(NULL, SIZES.get(3)),
      joined(CURVE, SIZES.get(0)),
      joined(CURVE, SIZES.get(1)),
      joined(bytes(255, 0, 0, 0, 0, 0, 0, 0, 1, 127, 1, 3), bytes(0, 0), SIZES.get(0)),
      joined(bytes(255, 0, 0, 0, 0, 0, 0, 0, 1, 127, 1, 3), bytes(0, 0), REQUEST),
      joined(bytes(1, 0, 1, 1, CALL.length + 1, 0), CALL),
      joined(CURVE, bytes(4, 8, 5), "HELLO".getBytes(ISO_8859_1), bytes(1, 0)),
      joined(NULL, bytes(4, 6, 5), "READY".getBytes(ISO_8859_1), SIZES.get(0)),
      joined(NULL, bytes(4, 6, 5), "READY".getBytes(ISO_8859_1), REQUEST, SIZES.get(1)),
      joined(NULL, bytes(4, 6, 5), "READY".getBytes(ISO_8859_1), bytes(4, 5, 4), bytes(1, 2)),
      Arrays.copyOf(NULL, 30));

  private Garbage() {}

  /**
   * Sends bytes, and returns the answer until the connection ends or nothing arrives for some time.
   */
  static String send(String uri, byte[] garbage) throws IOException {
    URI service = URI.create(uri);
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try (Socket socket = new Socket(service.getHost(), service.getPort())) {
      socket.setSoTimeout(50);
      socket.getOutputStream().write(garbage);
      byte[] buffer = new byte[8192];
      for (int n = 0; n >= 0; n = socket.getInputStream().read(buffer)) {
        answer.write(buffer, 0, n);
      }
    } catch (IOException e) {
      // The service has reset the connection, or sends nothing more.
    }
    return answer.toString(ISO_8859_1);
  }

  /** Returns the beginning of a connection with ZMTP 3. */
  private static byte[] greeting(String mechanism) {
    byte[] start =
        joined(bytes(255, 0, 0, 0, 0, 0, 0, 0, 1, 127, 3, 0), mechanism.getBytes(ISO_8859_1));
    return Arrays.copyOf(start, 64);
  }

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
