package io.millrace.core.testplugin;

import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Builds a plugin for a test from sources and services. */
public final class TestPlugin {
  private final Path directory;
  private final Map<String, String> sources = new LinkedHashMap<>();
  private final Map<String, String> services = new TreeMap<>();

  private TestPlugin(Path directory) {
    this.directory = directory;
  }

  public static TestPlugin in(Path plugins, String name) {
    return new TestPlugin(plugins.resolve(name));
  }

  public TestPlugin source(String className, String source) {
    sources.put(className, source);
    return this;
  }

  public TestPlugin service(Class<?> type, String className) {
    services.merge(type.getName(), className + "\n", String::concat);
    return this;
  }

  /** Compiles against the core module only, and packs the jar. */
  public Path write() throws IOException {
    Files.createDirectories(directory);
    Path classes = Files.createTempDirectory("plugin-classes");
    try {
      compile(classes);
      return pack(classes);
    } finally {
      delete(classes);
    }
  }

  private void compile(Path classes) throws IOException {
    if (sources.isEmpty()) {
      return;
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<JavaFileObject> units = new ArrayList<>();
    sources.forEach((name, source) -> units.add(new Source(name, source)));
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(classes));
      files.setLocationFromPaths(StandardLocation.CLASS_PATH, List.of(core()));
      if (!compiler.getTask(null, files, null, List.of("-proc:none"), null, units).call()) {
        throw new IllegalArgumentException("The plugin does not compile: " + sources);
      }
    }
  }

  private static Path core() {
    try {
      return Path.of(
          MillraceException.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private Path pack(Path classes) throws IOException {
    Path jar = directory.resolve(directory.getFileName() + ".jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file);
        Stream<Path> tree = Files.walk(classes)) {
      for (Path compiled : tree.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(compiled).toString()));
        Files.copy(compiled, out);
        out.closeEntry();
      }
      for (Map.Entry<String, String> service : services.entrySet()) {
        out.putNextEntry(new JarEntry("META-INF/services/" + service.getKey()));
        out.write(service.getValue().getBytes(StandardCharsets.UTF_8));
        out.closeEntry();
      }
    }
    return jar;
  }

  private static void delete(Path tree) {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String className, String text) {
      super(URI.create("source:///" + className.replace('.', '/') + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
