package dev.repartee.cli;

import dev.repartee.Service;
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

/** The class whose methods a command serves, with no code written for it. */
final class ServedClass {
  @Option(
      names = "--class",
      paramLabel = "FQCN",
      description = {
        "Serve the public methods of that class instead: its static ones, and with a public"
            + " constructor without parameters also those of one object, called by all connections at"
            + " once.",
        "What cannot be served, such as overloads, is left out and told on standard error."
      })
  @Nullable String name;

  @Option(
      names = "--classpath",
      paramLabel = "PATH",
      description = "Where that class and what it needs are: jars and folders, joined as for java.")
  @Nullable String classPath;

  /** The service of the class, or null where none is named. */
  @Nullable Service service(Stdio stdio) {
    String name = this.name;
    if (name == null) {
      if (classPath != null) {
        throw Failure.usage("--classpath is where a class is found; say which with --class");
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
              ? "; give it one whose name is not overloaded and whose types have a JSON form"
              : "; make one static, or give the class a public constructor without parameters"));
    }
  }

  private Class<?> load(String name) {
    ClassLoader loader = loader();
    // For what the class itself finds through it, such as the providers of services.
    Thread.currentThread().setContextClassLoader(loader);
    try {
      return Class.forName(name, true, loader);
    } catch (ClassNotFoundException e) {
      throw Failure.usage("there is no class '" + name + "' "
          + (classPath == null ? "in the JDK" : "in '" + classPath + "'")
          + "; give its full name (a.b.C, or a.b.C$D for one inside it)"
          + " and say with --classpath where it is");
    }
  }

  private ClassLoader loader() {
    ClassLoader ours = ServedClass.class.getClassLoader();
    // Never closed: classes are loaded for as long as they are served.
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
      // Then there is no such file either.
    }
    throw Failure.usage("--classpath names '" + entry + "', which cannot be read; name jars and"
        + " folders of classes one by one, with '" + File.pathSeparator + "' between them");
  }

  /** An object of the class, or null where none can be made by a public constructor without parameters. */
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
          + e.getCause() + "; serve a class that can be made without more ado");
    }
  }

  private static Failure unusable(String name, LinkageError e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    return Failure.usage("the class '" + name + "' cannot be used: " + cause
        + "; what it needs must be on the --classpath too, compiled for Java "
        + Runtime.version().feature() + " at most");
  }
}
