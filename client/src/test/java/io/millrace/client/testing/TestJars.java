package io.millrace.client.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Creates jars of programs that are not on the class path of the tests. */
public final class TestJars {
  private TestJars() {}

  /** Compiles one class, and returns its class files by their path in a jar. */
  public static Map<String, byte[]> compile(String name, String source) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Map<String, ByteArrayOutputStream> written = new LinkedHashMap<>();
    JavaFileManager files =
        new ForwardingJavaFileManager<>(
            compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
          @Override
          public JavaFileObject getJavaFileForOutput(
              Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            written.put(className.replace('.', '/') + ".class", bytes);
            return new SimpleJavaFileObject(URI.create("mem:///" + className), kind) {
              @Override
              public OutputStream openOutputStream() {
                return bytes;
              }
            };
          }
        };
    JavaFileObject unit =
        new SimpleJavaFileObject(
            URI.create("mem:///" + name.replace('.', '/') + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    if (!compiler.getTask(null, files, null, List.of(), null, List.of(unit)).call()) {
      throw new IllegalArgumentException("The source of the test does not compile: " + source);
    }
    Map<String, byte[]> classes = new LinkedHashMap<>();
    written.forEach((path, bytes) -> classes.put(path, bytes.toByteArray()));
    return classes;
  }

  /** Writes a jar with these entries, whose manifest names no main class. */
  public static Path jar(Path file, Map<String, byte[]> entries) {
    return jar(file, new Manifest(), entries);
  }

  /** Writes a jar with these entries, whose manifest names a main class. */
  public static Path jar(Path file, String mainClass, Map<String, byte[]> entries) {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, mainClass);
    return jar(file, manifest, entries);
  }

  private static Path jar(Path file, Manifest manifest, Map<String, byte[]> entries) {
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(file), manifest)) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        out.putNextEntry(new JarEntry(entry.getKey()));
        out.write(entry.getValue());
        out.closeEntry();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return file;
  }
}
