package io.millrace.it;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Packs the program of a test into a jar. */
final class ProgramJar {
  private ProgramJar() {}

  static Path of(Path directory, Class<?> program) throws IOException {
    return write(
        directory.resolve(program.getSimpleName() + ".jar"),
        Optional.of(program.getName()),
        Optional.of(program));
  }

  /** Also packs the jars of these library classes into it. */
  static Path withLibraries(Path directory, Class<?> program, Class<?>... libraries)
      throws IOException {
    Path plain = of(directory, program);
    Path whole = directory.resolve(program.getSimpleName() + "-with-libraries.jar");
    try (JarInputStream in = new JarInputStream(Files.newInputStream(plain));
        JarOutputStream out = new JarOutputStream(Files.newOutputStream(whole), in.getManifest())) {
      for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
        out.putNextEntry(new JarEntry(entry.getName()));
        in.transferTo(out);
        out.closeEntry();
      }
      for (Class<?> library : libraries) {
        Path jar = home(library);
        out.putNextEntry(new JarEntry("lib/" + jar.getFileName()));
        Files.copy(jar, out);
        out.closeEntry();
      }
    }
    return whole;
  }

  /**
   * Compiles a program of one source file, so that a test can have several versions of a class.
   *
   * @param program the qualified name of its class
   */
  static Path compiled(Path jar, String program, String source) throws IOException {
    Path sources = Files.createTempDirectory(jar.getParent(), "program");
    Path classes = Files.createDirectory(sources.resolve("classes"));
    Path file = sources.resolve(program.substring(program.lastIndexOf('.') + 1) + ".java");
    Files.writeString(file, source);
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                classes.toString(),
                file.toString());
    if (failed != 0) {
      throw new IllegalArgumentException("The program does not compile: " + source);
    }
    try (JarOutputStream out =
            new JarOutputStream(Files.newOutputStream(jar), manifest(Optional.of(program)));
        Stream<Path> tree = Files.walk(classes)) {
      for (Path compiled : tree.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(compiled).toString()));
        Files.copy(compiled, out);
        out.closeEntry();
      }
    }
    return jar;
  }

  private static Path home(Class<?> type) throws IOException {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  static Path write(Path jar, Optional<String> mainClass, Optional<Class<?>> program)
      throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest(mainClass))) {
      if (program.isPresent()) {
        add(out, program.get());
      }
    }
    return jar;
  }

  private static Manifest manifest(Optional<String> mainClass) {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    mainClass.ifPresent(name -> manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, name));
    return manifest;
  }

  /** A class and its nested classes. */
  private static void add(JarOutputStream out, Class<?> program) throws IOException {
    Path classes = home(program);
    Path directory = classes.resolve(program.getPackageName().replace('.', '/'));
    String name = program.getSimpleName();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        String fileName = file.getFileName().toString();
        if (fileName.equals(name + ".class") || fileName.startsWith(name + "$")) {
          out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
          Files.copy(file, out);
          out.closeEntry();
        }
      }
    }
  }
}
