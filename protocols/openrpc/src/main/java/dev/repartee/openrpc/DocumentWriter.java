package dev.repartee.openrpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.json.JsonLayout;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the OpenRPC document of a service to a file, as a step of a build:
 *
 * <pre>{@code
 * java -cp CLASSPATH dev.repartee.openrpc.DocumentWriter com.example.Shop openrpc.json
 * }</pre>
 *
 * <p>The class is an interface, or a class that {@link Service#ofAny} serves: its static methods
 * and, if it has a public constructor without parameters, those of an object. {@code
 * com.example.Shop#service} names a public static method that returns the {@link Service}.
 *
 * <p>Equal classes give equal bytes. A file that has them already is not written again.
 */
public final class DocumentWriter {
  private static final String USAGE = "usage: java -cp CLASSPATH "
      + DocumentWriter.class.getName()
      + " CLASS FILE; CLASS#METHOD is a public static method that returns a Service";

  /** The number of bytes at which a document is refused. */
  private static final int MOST = 64 << 20;

  private DocumentWriter() {}

  /**
   * Writes the document of a class. A failure ends the process with exit code 2, after one sentence
   * on standard error.
   *
   * @param args the name of the class, and the file
   */
  public static void main(String[] args) {
    int exit = run(args, System.err);
    if (exit != 0) {
      System.exit(exit);
    }
  }

  /** Returns the exit code. */
  static int run(String[] args, PrintStream err) {
    try {
      if (args.length != 2) {
        throw new IllegalArgumentException(USAGE);
      }
      write(service(args[0], err), Path.of(args[1]));
      return 0;
    } catch (IOException e) {
      err.println("the document cannot be written: " + e);
    } catch (InvocationTargetException e) {
      err.println(args[0] + " failed: " + e.getCause());
    } catch (IllegalArgumentException e) {
      err.println(e.getMessage());
    } catch (ReflectiveOperationException | LinkageError e) {
      err.println(args[0] + " cannot be used: " + e);
    }
    return 2;
  }

  /**
   * Writes the document of a service, which {@code rpc.discover} answers, with indentation.
   *
   * @param file the file, which is replaced; its folder is created if it does not exist
   * @throws IOException if the file cannot be written
   */
  public static void write(Service service, Path file) throws IOException {
    byte[] text = (JsonLayout.INDENTED.text(document(service)) + "\n").getBytes(UTF_8);
    if (Files.isRegularFile(file) && Arrays.equals(Files.readAllBytes(file), text)) {
      return; // later steps of the build see that nothing has changed
    }
    if (Files.isDirectory(file)) {
      throw new IOException(file + " is a folder"); // an empty one would be replaced
    }
    Files.createDirectories(file.toAbsolutePath().getParent());
    Path temporary = file.resolveSibling(file.getFileName() + ".new");
    Files.write(temporary, text);
    Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private static Json document(Service service) throws IOException {
    String uri = "mem:document-" + UUID.randomUUID(); // a name that no other endpoint has
    Options options =
        Options.builder().limits(limits -> limits.frameBytes(MOST)).build();
    try (Server server = Repartee.listen(uri, service, options);
        Peer peer = Repartee.connect(server.endpoint().toString(), Service.NONE, options)) {
      return peer.call("rpc.discover", Json.class);
    }
  }

  private static Service service(String name, PrintStream err) throws ReflectiveOperationException {
    int separator = name.indexOf('#');
    Class<?> type = type(separator < 0 ? name : name.substring(0, separator));
    if (separator < 0) {
      return Service.ofAny(
          type,
          instance(type),
          (method, reason) -> err.println("not in the document: " + method + " (" + reason + ")"));
    }
    Method method = type.getMethod(name.substring(separator + 1));
    method.trySetAccessible(); // the class itself need not be public
    if (Modifier.isStatic(method.getModifiers()) && method.invoke(null) instanceof Service made) {
      return made;
    }
    throw new IllegalArgumentException(name + " is no static method that returns a Service");
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException("there is no class '" + name
          + "' on the class path; a nested class has the name a.b.Outer$Inner");
    }
  }

  /** Returns an object whose methods can be described; null to describe only static methods. */
  private static @Nullable Object instance(Class<?> type) throws ReflectiveOperationException {
    if (type.isInterface()) {
      return Proxy.newProxyInstance(
          type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
    }
    if (Modifier.isAbstract(type.getModifiers())) {
      return null;
    }
    try {
      Constructor<?> constructor = type.getConstructor();
      constructor.trySetAccessible(); // the class itself need not be public
      return constructor.newInstance();
    } catch (NoSuchMethodException e) {
      return null;
    }
  }
}
