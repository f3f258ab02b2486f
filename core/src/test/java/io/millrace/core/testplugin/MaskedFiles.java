package io.millrace.core.testplugin;

import io.millrace.core.fs.FileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A plugin with a file system that masks every byte in a local file: only text that passes through
 * the plugin in both directions is correct. It rejects calls without its class loader.
 */
public final class MaskedFiles {
  private static final String MASK =
      """
      package com.example.masked;

      final class Mask {
        static int apply(int value) {
          return value ^ %d;
        }
      }
      """;

  private static final String SYSTEM =
      """
      package com.example.masked;

      import io.millrace.core.fs.FilePath;
      import io.millrace.core.fs.FileStatus;
      import io.millrace.core.fs.FileSystem;
      import java.io.FilterInputStream;
      import java.io.FilterOutputStream;
      import java.io.IOException;
      import java.io.InputStream;
      import java.io.OutputStream;
      import java.nio.file.Files;
      import java.nio.file.Path;
      import java.nio.file.StandardCopyOption;
      import java.nio.file.StandardOpenOption;
      import java.util.ArrayList;
      import java.util.List;
      import java.util.Optional;
      import java.util.stream.Stream;

      public final class Masked implements FileSystem {
        @Override
        public List<String> schemes() {
          return List.of("%s");
        }

        @Override
        public InputStream open(FilePath file, long offset) throws IOException {
          check();
          InputStream in = Files.newInputStream(local(file));
          in.skipNBytes(offset);
          return new FilterInputStream(in) {
            @Override
            public int read(byte[] target, int from, int length) throws IOException {
              check();
              int read = super.read(target, from, length);
              for (int i = 0; i < read; i++) {
                target[from + i] = (byte) Mask.apply(target[from + i]);
              }
              return read;
            }
          };
        }

        @Override
        public OutputStream create(FilePath file) throws IOException {
          check();
          return new FilterOutputStream(
              Files.newOutputStream(local(file), StandardOpenOption.CREATE_NEW)) {
            @Override
            public void write(int value) throws IOException {
              check();
              super.write(Mask.apply(value));
            }
          };
        }

        @Override
        public void replace(FilePath from, FilePath to) throws IOException {
          check();
          Files.move(local(from), local(to), StandardCopyOption.ATOMIC_MOVE);
        }

        @Override
        public boolean delete(FilePath path) throws IOException {
          check();
          return Files.deleteIfExists(local(path));
        }

        @Override
        public List<FileStatus> list(FilePath directory) throws IOException {
          check();
          List<FileStatus> found = new ArrayList<>();
          try (Stream<Path> entries = Files.list(local(directory))) {
            for (Path entry : entries.sorted().toList()) {
              status(directory.child(entry.getFileName().toString())).ifPresent(found::add);
            }
          }
          return found;
        }

        @Override
        public Optional<FileStatus> status(FilePath path) throws IOException {
          check();
          Path local = local(path);
          if (!Files.exists(local)) {
            return Optional.empty();
          }
          boolean directory = Files.isDirectory(local);
          return Optional.of(new FileStatus(path, directory, directory ? 0 : Files.size(local)));
        }

        @Override
        public void createDirectories(FilePath directory) throws IOException {
          check();
          Files.createDirectories(local(directory));
        }

        @Override
        public boolean replacesInOneStep(FilePath directory) throws IOException {
          check();
          return !directory.name().equals("several-steps");
        }

        private static Path local(FilePath path) {
          return Path.of(path.path());
        }

        private static void check() throws IOException {
          ClassLoader loader = Thread.currentThread().getContextClassLoader();
          if (loader != Masked.class.getClassLoader()) {
            throw new IOException("Called with the class loader " + loader);
          }
        }
      }
      """;

  private MaskedFiles() {}

  /** Two of these plugins have classes of the same names with different behaviour. */
  public static void write(Path plugins, String name, String scheme, int mask) throws IOException {
    TestPlugin.in(plugins, name)
        .source("com.example.masked.Mask", MASK.formatted(mask))
        .source("com.example.masked.Masked", SYSTEM.formatted(scheme))
        .service(FileSystem.class, "com.example.masked.Masked")
        .write();
  }

  /** The stored bytes of a text, or the text of stored bytes. */
  public static byte[] masked(String text, int mask) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (bytes[i] ^ mask);
    }
    return bytes;
  }
}
