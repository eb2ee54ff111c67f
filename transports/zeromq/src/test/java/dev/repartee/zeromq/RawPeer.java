package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A peer with a minimal implementation of ZMTP 3, over a socket with small buffers. */
final class RawPeer implements AutoCloseable {
  private static final int MORE = 1;
  private static final int LARGE = 2;
  private static final int COMMAND = 4;

  /** The milliseconds to wait for input. */
  private static final int PATIENCE = 60_000;

  /** The bytes of a greeting, and of its first part. */
  private static final int GREETING = 64;

  private static final int SIGNATURE = 10;

  private final Socket socket;
  private final DataOutputStream out;
  private final DataInputStream in;

  private RawPeer(Socket socket) throws IOException {
    this.socket = socket;
    this.out = new DataOutputStream(socket.getOutputStream());
    this.in = new DataInputStream(socket.getInputStream());
  }

  /** Connects, and sends the greeting. */
  static RawPeer greet(String uri, String mechanism) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4_096);
    socket.setSendBufferSize(64 << 10);
    socket.setSoTimeout(PATIENCE);
    URI service = URI.create(uri);
    socket.connect(new InetSocketAddress(service.getHost(), service.getPort()));
    RawPeer peer = new RawPeer(socket);
    peer.greet(mechanism);
    return peer;
  }

  /** Connects as a socket of this type, and completes the handshake. */
  static RawPeer connect(String uri, String type, String identity) throws IOException {
    RawPeer peer = greet(uri, "NULL");
    peer.ready(type, identity);
    return peer;
  }

  /** Accepts a connection as a socket of this type, and completes the handshake. */
  static RawPeer accept(Socket socket, String type) throws IOException {
    RawPeer peer = new RawPeer(socket);
    peer.in.readFully(new byte[SIGNATURE]); // some connections of JeroMQ stay silent
    peer.write(greeting("NULL"));
    peer.in.readFully(new byte[GREETING - SIGNATURE]);
    peer.ready(type, "");
    return peer;
  }

  private void greet(String mechanism) throws IOException {
    write(greeting(mechanism));
    in.readFully(new byte[GREETING]);
  }

  private static byte[] greeting(String mechanism) {
    byte[] greeting = new byte[GREETING];
    greeting[0] = (byte) 0xFF;
    greeting[8] = 1;
    greeting[9] = 0x7F;
    greeting[10] = 3;
    byte[] name = mechanism.getBytes(ISO_8859_1);
    System.arraycopy(name, 0, greeting, 12, name.length);
    return greeting;
  }

  private void ready(String type, String identity) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream command = new DataOutputStream(bytes);
    command.writeByte(5);
    command.writeBytes("READY");
    property(command, "Socket-Type", type);
    property(command, "Identity", identity);
    write(COMMAND, bytes.toByteArray());
    frame();
  }

  private static void property(DataOutputStream to, String name, String value) throws IOException {
    to.writeByte(name.length());
    to.writeBytes(name);
    to.writeInt(value.length());
    to.writeBytes(value);
  }

  /** Sends a message. */
  void send(String... frames) throws IOException {
    for (int i = 0; i < frames.length; i++) {
      write(i < frames.length - 1 ? MORE : 0, frames[i].getBytes(ISO_8859_1));
    }
  }

  /** Sends bytes. */
  void write(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  private void write(int flags, byte[] content) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    frame.writeBytes(head(flags, content.length));
    frame.writeBytes(content);
    write(frame.toByteArray());
  }

  /** Announces a frame of that size. */
  void announce(long size) throws IOException {
    write(head(0, size));
  }

  private static byte[] head(int flags, long size) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream head = new DataOutputStream(bytes);
    if (size < 256) {
      head.writeByte(flags);
      head.writeByte((int) size);
    } else {
      head.writeByte(flags | LARGE);
      head.writeLong(size);
    }
    return bytes.toByteArray();
  }

  /** Receives a message. Each part must arrive within the given time. */
  List<String> receive(int millis) throws IOException {
    socket.setSoTimeout(millis);
    List<String> message = receive();
    socket.setSoTimeout(PATIENCE);
    return message;
  }

  /** Receives a message. */
  List<String> receive() throws IOException {
    List<String> frames = new ArrayList<>();
    int flags = MORE;
    while ((flags & MORE) != 0) {
      byte[] frame = frame();
      flags = frame[0];
      if ((flags & COMMAND) == 0) {
        frames.add(new String(frame, 1, frame.length - 1, ISO_8859_1));
      } else {
        flags = MORE; // such as a ping
      }
    }
    return frames;
  }

  /** Returns the flags and the content of a frame. */
  private byte[] frame() throws IOException {
    int flags = in.readUnsignedByte();
    int size = (flags & LARGE) == 0 ? in.readUnsignedByte() : (int) in.readLong();
    byte[] frame = Arrays.copyOf(new byte[] {(byte) flags}, size + 1);
    in.readFully(frame, 1, size);
    return frame;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
