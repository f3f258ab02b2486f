package io.millrace.dataplane.snapshot;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.ClassDictionary;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.SharedFileName;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskRestore;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes and reads keyed state as files of a backend. Files that later checkpoints have, too, are
 * stored once in the shared directory; a savepoint has all of them in its own. The others, which
 * are small, are in the piece itself.
 */
final class NativePiece {
  private static final Logger LOG = LoggerFactory.getLogger(NativePiece.class);
  private static final int BUFFER = 1 << 16;

  private NativePiece() {}

  /**
   * @param checkCancelled throws if the snapshot is not needed any more
   */
  static OperatorSnapshot.Keyed write(
      NativeSnapshot snapshot,
      KeyGroupWatermarks watermarks,
      KeyGroupRange groups,
      ClassLoader classes,
      HostCheckpoints.HostCheckpoint to,
      int inlineThreshold,
      Runnable checkCancelled)
      throws IOException {
    CheckpointRequest request = to.request();
    FileSystems systems = to.systems();
    boolean isShared = !request.type().isSavepoint();
    Map<String, StateHandle.FileSegment> shared = new LinkedHashMap<>();
    List<FilePath> uploaded = new ArrayList<>();
    boolean complete = false;
    try (PieceOutput out = new PieceOutput(to.files(), inlineThreshold)) {
      PieceWriter writer = new PieceWriter(out, PieceFormat.NATIVE);
      List<String> own = new ArrayList<>();
      ByteArrayOutput content = new ByteArrayOutput();
      for (Path file : filesIn(snapshot.directory())) {
        checkCancelled.run();
        String name = file.getFileName().toString();
        if (!snapshot.isShared().test(name)) {
          content.clear();
          byte[] bytes = Files.readAllBytes(file);
          content.putBytes(bytes, 0, bytes.length);
          writer.batch(content);
          own.add(name);
          continue;
        }
        StateHandle.FileSegment stored =
            isShared ? snapshot.known().find(request.sharedDirectory(), name).orElse(null) : null;
        if (stored == null) {
          FilePath path =
              FilePath.parse(isShared ? request.sharedDirectory() : request.directory())
                  .child(
                      SharedFileName.of(
                          request.checkpoint(), ThreadLocalRandom.current().nextLong()));
          uploaded.add(path);
          stored =
              upload(
                  file,
                  systems.of(path),
                  path,
                  isShared ? StateHandle.Directory.SHARED : StateHandle.Directory.EXCLUSIVE,
                  checkCancelled);
        }
        shared.put(name, stored);
        String copied = stored.file();
        to.copies().ifPresent(copies -> copies.link(file, copied));
      }
      ByteArrayOutput footer = new ByteArrayOutput();
      writeFooter(snapshot.state(), watermarks, groups, classes, own, shared, footer);
      writer.footer(footer);
      OperatorSnapshot.Keyed keyed =
          new OperatorSnapshot.Keyed(
              groups, snapshot.state().format(), out.finish(), List.copyOf(shared.values()));
      if (isShared) {
        snapshot.known().stored(request.checkpoint(), request.sharedDirectory(), shared);
      }
      complete = true;
      return keyed;
    } finally {
      if (!complete) {
        for (FilePath path : uploaded) {
          systems.of(path).delete(path);
        }
      }
    }
  }

  private static List<Path> filesIn(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  private static StateHandle.FileSegment upload(
      Path file,
      FileSystem system,
      FilePath to,
      StateHandle.Directory directory,
      Runnable checkCancelled)
      throws IOException {
    CRC32C checksum = new CRC32C();
    long size = 0;
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = Files.newInputStream(file);
        OutputStream out = system.create(to)) {
      int read;
      while ((read = in.read(buffer)) >= 0) {
        checkCancelled.run();
        out.write(buffer, 0, read);
        checksum.update(buffer, 0, read);
        size += read;
      }
    }
    return new StateHandle.FileSegment(directory, to.name(), 0, size, (int) checksum.getValue());
  }

  private static void writeFooter(
      NativeState state,
      KeyGroupWatermarks watermarks,
      KeyGroupRange groups,
      ClassLoader classes,
      List<String> own,
      Map<String, StateHandle.FileSegment> shared,
      ByteArrayOutput footer) {
    footer.putVarInt(groups.first());
    footer.putVarInt(groups.end());
    WatermarkSection.write(watermarks, groups, footer);
    footer.putVarInt(state.tables().size());
    for (NativeState.NativeTable table : state.tables()) {
      PieceText.write(table.state().name(), footer);
      PieceText.write(table.state().kind().name(), footer);
      PieceText.write(table.layout(), footer);
      footer.putByte(
          (table.state().namespaced() ? 1 : 0)
              | (table.state().timed() ? 2 : 0)
              | (table.internal() ? 4 : 0));
    }
    footer.putVarInt(state.valueClasses().size());
    state.valueClasses().forEach(name -> PieceText.write(name, footer));
    SchemaSection.of(state.keyClasses(), state.valueClasses(), classes).write(footer);
    footer.putVarInt(state.dictionary().size());
    for (ClassDictionary.Section section : state.dictionary()) {
      footer.putByte(section.trees() ? 1 : 0);
      footer.putVarInt(section.examples().size());
      for (byte[] example : section.examples()) {
        footer.putVarInt(example.length);
        footer.putBytes(example, 0, example.length);
      }
    }
    footer.putVarInt(own.size());
    own.forEach(name -> PieceText.write(name, footer));
    footer.putVarInt(shared.size());
    shared.forEach(
        (name, file) -> {
          PieceText.write(name, footer);
          PieceText.write(file.file(), footer);
        });
  }

  /**
   * The footer of a piece.
   *
   * @param own the names of files in the piece, in order
   * @param shared the names of shared files by their local names
   */
  record Footer(
      KeyGroupRange groups,
      KeyGroupWatermarks watermarks,
      NativeState state,
      SchemaSection schemas,
      List<String> own,
      Map<String, String> shared) {
    static Footer read(String format, int version, ByteArrayInput in) {
      KeyGroupRange groups = new KeyGroupRange(in.readVarInt(), in.readVarInt());
      KeyGroupWatermarks watermarks = WatermarkSection.read(version, groups, in);
      List<NativeState.NativeTable> tables = new ArrayList<>();
      for (int left = PieceText.count(in); left > 0; left--) {
        String name = PieceText.read(in);
        StateKind kind = StateKind.valueOf(PieceText.read(in));
        String layout = PieceText.read(in);
        int flags = in.readByte();
        tables.add(
            new NativeState.NativeTable(
                new StateInfo(name, kind, (flags & 1) != 0, (flags & 2) != 0),
                layout,
                (flags & 4) != 0));
      }
      TreeSet<String> valueClasses = new TreeSet<>();
      for (int left = PieceText.count(in); left > 0; left--) {
        valueClasses.add(PieceText.read(in));
      }
      SchemaSection schemas = SchemaSection.read(in);
      List<ClassDictionary.Section> dictionary = new ArrayList<>();
      for (int left = PieceText.count(in); left > 0; left--) {
        boolean trees = in.readByte() != 0;
        List<byte[]> examples = new ArrayList<>();
        for (int more = PieceText.count(in); more > 0; more--) {
          int length = in.readVarInt();
          int at = in.take(length);
          examples.add(Arrays.copyOfRange(in.array(), at, at + length));
        }
        dictionary.add(new ClassDictionary.Section(trees, examples));
      }
      List<String> own = new ArrayList<>();
      for (int left = PieceText.count(in); left > 0; left--) {
        own.add(fileName(PieceText.read(in)));
      }
      Map<String, String> shared = new LinkedHashMap<>();
      for (int left = PieceText.count(in); left > 0; left--) {
        shared.put(fileName(PieceText.read(in)), PieceText.read(in));
      }
      return new Footer(
          groups,
          watermarks,
          new NativeState(format, tables, new TreeSet<>(schemas.keys()), valueClasses, dictionary),
          schemas,
          own,
          shared);
    }

    /** A local file is created in the directory of its store and nowhere else. */
    private static String fileName(String name) {
      if (name.isBlank() || name.contains("/") || name.contains("\\") || name.startsWith(".")) {
        throw new IllegalArgumentException("'" + name + "' is no plain file name");
      }
      return name;
    }
  }

  /** Copies the files of a piece into a local directory. */
  static void download(
      StateFileSource source,
      TaskRestore from,
      OperatorSnapshot.Keyed piece,
      PieceReader reader,
      Footer footer,
      Path directory) {
    try {
      reader.batches(
          PieceFormat.HEADER_BYTES,
          footer.own().size(),
          (number, batch) -> {
            int length = batch.remaining();
            int at = batch.take(length);
            try (OutputStream out =
                Files.newOutputStream(directory.resolve(footer.own().get(number)))) {
              out.write(batch.array(), at, length);
            } catch (IOException e) {
              throw new UncheckedIOException(e); // Nothing is wrong with the piece.
            }
          });
      Map<String, StateHandle.FileSegment> files = new LinkedHashMap<>();
      piece.files().forEach(file -> files.put(file.file(), file));
      for (Map.Entry<String, String> entry : footer.shared().entrySet()) {
        StateHandle.FileSegment file = files.get(entry.getValue());
        if (file == null) {
          throw reader.damaged("it refers to the unknown file " + entry.getValue());
        }
        Path to = directory.resolve(entry.getKey());
        Optional<Path> copy = source.copy(file);
        if (copy.isEmpty() || !link(copy.get(), to)) {
          download(new PieceReader(source, from, file), file, to);
        }
      }
    } catch (UncheckedIOException e) {
      throw unwritable(directory, e.getCause());
    } catch (IOException e) {
      throw unwritable(directory, e);
    }
  }

  /** Uses a local copy, which never changes; false if that is not possible. */
  private static boolean link(Path copy, Path file) {
    try {
      Files.createLink(file, copy);
      return true;
    } catch (IOException | UnsupportedOperationException e) {
      LOG.debug("The local copy {} of a state file cannot be linked to {}", copy, file, e);
      return false;
    }
  }

  private static MillraceException unwritable(Path directory, IOException cause) {
    return new MillraceException(
        ErrorKind.EXTERNAL, "State cannot be copied to " + directory + ": " + cause, cause);
  }

  private static void download(PieceReader from, StateHandle.FileSegment file, Path to)
      throws IOException {
    CRC32C checksum = new CRC32C();
    long size = 0;
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = from.content();
        OutputStream out = Files.newOutputStream(to)) {
      int read;
      while (size < file.size()
          && (read = from.read(in, buffer, (int) Math.min(BUFFER, file.size() - size))) >= 0) {
        out.write(buffer, 0, read);
        checksum.update(buffer, 0, read);
        size += read;
      }
    }
    if (size != file.size()) {
      throw from.damaged("it has " + size + " bytes instead of " + file.size());
    }
    if ((int) checksum.getValue() != file.checksum()) {
      throw from.damaged("its checksum does not match its content");
    }
  }
}
