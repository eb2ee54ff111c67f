package dev.repartee.cli.options;

import dev.repartee.Service;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import java.io.File;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The class whose methods a command serves. It need not be written for repartee. */
public final class ServedClass {
  @Option(names = "--class", paramLabel = "FQCN", description = """
          Serve the public methods of this class instead: the static ones and, if the class has a \
          public constructor without parameters, the methods of one object, which all connections \
          call concurrently.
          Methods that cannot be served, such as overloads, are skipped and listed on standard \
          error.""")
  public @Nullable String name;

  @Option(names = "--classpath", paramLabel = "PATH", description = """
          The jars and folders with the class and its dependencies, separated as for java.""")
  public @Nullable String classPath;

  /** Returns the service of the class, or null if {@code --class} is not given. */
  public @Nullable Service service(Stdio stdio) {
    String name = this.name;
    if (name == null) {
      if (classPath != null) {
        throw Failure.usage("--classpath is for the class of --class; name the class with --class");
      }
      return null;
    }
    try {
      return service(load(name), stdio);
    } catch (LinkageError e) {
      throw unusable(name, e);
    }
  }

  private static Service service(Class<?> type, Stdio stdio) {
    Object target = create(type);
    try {
      return Service.ofAny(
          type,
          target,
          (method, reason) -> stdio.say("not served: " + method + " (" + reason + ")"));
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e)
          + (target != null
              ? "; add a method whose name is not overloaded and whose types have a JSON form"
              : "; make one static, or give the class a public constructor without parameters"));
    }
  }

  private Class<?> load(String name) {
    ClassLoader loader = loader();
    // The class may use the context loader itself, for example to find service providers.
    Thread.currentThread().setContextClassLoader(loader);
    try {
      return Class.forName(name, true, loader);
    } catch (ClassNotFoundException e) {
      throw Failure.usage("there is no class '" + name + "' "
          + (classPath == null ? "in the JDK" : "in '" + classPath + "'")
          + "; give its full name (a.b.C, or a.b.C$D for a nested class)"
          + " and its location with --classpath");
    }
  }

  private ClassLoader loader() {
    ClassLoader ours = ServedClass.class.getClassLoader();
    // Never closed: the class may load further classes as long as it is served.
    return classPath == null ? ours : new URLClassLoader(urls(classPath), ours);
  }

  private static URL[] urls(String classPath) {
    List<URL> urls = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      if (!entry.isEmpty()) {
        urls.add(url(entry));
      }
    }
    return urls.toArray(URL[]::new);
  }

  private static URL url(String entry) {
    try {
      Path path = Path.of(entry);
      if (Files.isReadable(path)) {
        return path.toUri().toURL();
      }
    } catch (InvalidPathException | MalformedURLException e) {
      // Reported below, like a file that cannot be read.
    }
    throw Failure.usage("--classpath names '" + entry + "', which cannot be read; list jars and"
        + " folders of classes, separated by '" + File.pathSeparator + "'");
  }

  /**
   * Returns an object of the class, or null if the class is abstract or has no public constructor
   * without parameters.
   */
  private static @Nullable Object create(Class<?> type) {
    if (Modifier.isAbstract(type.getModifiers())) {
      return null;
    }
    try {
      Constructor<?> constructor = type.getConstructor();
      constructor.trySetAccessible(); // the class itself need not be public
      return constructor.newInstance();
    } catch (NoSuchMethodException | IllegalAccessException none) {
      return null;
    } catch (InstantiationException e) {
      throw new IllegalStateException("an abstract class got this far: " + type.getName(), e);
    } catch (InvocationTargetException e) {
      throw Failure.usage("the constructor of " + type.getTypeName() + " failed with "
          + e.getCause() + "; serve a class whose constructor without parameters succeeds");
    }
  }

  private static Failure unusable(String name, LinkageError e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    return Failure.usage("the class '" + name + "' cannot be used: " + cause
        + "; its dependencies must be on the --classpath too, all compiled for Java "
        + Runtime.version().feature() + " or older");
  }
}
