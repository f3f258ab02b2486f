package io.millrace.task.checkpoint;

import io.millrace.core.Bytes;
import io.millrace.core.codec.CodecException;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.zip.CRC32C;

/**
 * Stores checkpoints as files.
 *
 * <p>A metadata file has a header (magic number, version of the format, length and CRC-32C of the
 * rest) and the encoded {@link CheckpointMetadata}. It is written under another name and renamed.
 */
public final class FileCheckpointStorage implements CheckpointStorage {
  private static final int MAGIC = 0x4d52434d;
  private static final int VERSION = 3;
  private static final int HEADER = 16;

  /** Bytes of the largest metadata that is read. */
  private static final int LARGEST = 256 << 20;

  private static final RecordCodec CODEC =
      RecordCodec.of(List.of(CheckpointMetadata.class), LARGEST);

  private final FileSystems files;

  public FileCheckpointStorage(FileSystems files) {
    this.files = files;
  }

  @Override
  public void createDirectory(String directory) {
    FilePath path = FilePath.parse(directory);
    try {
      files.of(path).createDirectories(path);
    } catch (IOException e) {
      throw failed("Directory " + path + " of a checkpoint cannot be created", e);
    }
  }

  @Override
  public void writeMetadata(String directory, CheckpointMetadata metadata) {
    FilePath parent = FilePath.parse(directory);
    FilePath file = parent.child(METADATA);
    FilePath written = parent.child("." + METADATA + ".inprogress");
    FileSystem system = files.of(parent);
    byte[] content = CODEC.encode(metadata);
    CRC32C checksum = new CRC32C();
    checksum.update(content);
    ByteBuffer header =
        ByteBuffer.allocate(HEADER)
            .putInt(MAGIC)
            .putInt(VERSION)
            .putInt(content.length)
            .putInt((int) checksum.getValue());
    try {
      if (system.status(file).isPresent()) {
        throw new FileAlreadyExistsException(file.toString());
      }
      system.delete(written);
      try (OutputStream out = system.create(written)) {
        out.write(header.array());
        out.write(content);
      }
      system.replace(written, file);
    } catch (IOException e) {
      throw failed("Metadata " + file + " of a checkpoint cannot be written", e);
    }
  }

  @Override
  public StoredMetadata readMetadata(String path) {
    FilePath named = FilePath.parse(path);
    FileSystem system = files.of(named);
    FilePath file = named;
    try {
      Optional<FileStatus> there = system.status(named);
      if (there.isEmpty()) {
        throw new MillraceException(
            ErrorKind.USER,
            "Savepoint or checkpoint '"
                + named
                + "' does not exist. Name the directory that has the file "
                + METADATA
                + ".");
      }
      if (there.get().isDirectory()) {
        file = named.child(METADATA);
        if (system.status(file).isEmpty()) {
          throw new MillraceException(
              ErrorKind.USER,
              "Directory '"
                  + named
                  + "' has no file "
                  + METADATA
                  + ": it is not a savepoint or checkpoint, or it was not completed.");
        }
      }
      return new StoredMetadata(file.parent().toString(), decode(file, read(system, file)));
    } catch (IOException e) {
      throw failed("Metadata " + file + " of a checkpoint cannot be read", e);
    }
  }

  private static byte[] read(FileSystem system, FilePath file) throws IOException {
    try (InputStream in = system.open(file, 0)) {
      byte[] content = in.readNBytes(LARGEST + HEADER + 1);
      if (content.length > LARGEST + HEADER) {
        throw damaged(file, "it is larger than " + (LARGEST >> 20) + " MiB");
      }
      return content;
    }
  }

  private static CheckpointMetadata decode(FilePath file, byte[] content) {
    if (content.length < HEADER) {
      throw damaged(file, "it has " + content.length + " bytes, the header alone has " + HEADER);
    }
    ByteBuffer header = ByteBuffer.wrap(content, 0, HEADER);
    if (header.getInt() != MAGIC) {
      throw damaged(file, "it does not begin like metadata of Millrace");
    }
    int version = header.getInt();
    if (version != VERSION) {
      throw new UnusableStateException(
          ErrorKind.USER,
          "Metadata "
              + file
              + " has format "
              + version
              + ", this release reads format "
              + VERSION
              + ". Use the release that wrote it, or a later one.");
    }
    int length = header.getInt();
    if (length != content.length - HEADER) {
      throw damaged(file, "it has " + (content.length - HEADER) + " bytes instead of " + length);
    }
    CRC32C checksum = new CRC32C();
    checksum.update(content, HEADER, length);
    if ((int) checksum.getValue() != header.getInt()) {
      throw damaged(file, "its checksum does not match its content");
    }
    try {
      return CODEC.decode(CheckpointMetadata.class, Bytes.copyOf(content, HEADER, content.length));
    } catch (CodecException e) {
      throw damaged(file, e.getMessage());
    }
  }

  private static MillraceException damaged(FilePath file, String what) {
    return new UnusableStateException(
        ErrorKind.USER,
        "Metadata " + file + " is damaged: " + what + ". Use another savepoint or checkpoint.");
  }

  @Override
  public void delete(String directory) {
    FilePath path = FilePath.parse(directory);
    try {
      files.of(path).deleteAll(path);
    } catch (IOException e) {
      throw failed("Directory " + path + " of a checkpoint cannot be deleted", e);
    }
  }

  @Override
  public List<String> files(String directory) {
    return list(directory, entry -> !entry.isDirectory());
  }

  @Override
  public List<String> directories(String directory) {
    return list(directory, FileStatus::isDirectory);
  }

  private List<String> list(String directory, Predicate<FileStatus> which) {
    FilePath path = FilePath.parse(directory);
    try {
      return files.of(path).list(path).stream()
          .filter(which)
          .map(entry -> entry.path().name())
          .toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw failed("Directory " + path + " of checkpoints cannot be listed", e);
    }
  }

  @Override
  public void deleteFiles(String directory, List<String> names) {
    FilePath parent = FilePath.parse(directory);
    FileSystem system = files.of(parent);
    Optional<MillraceException> first = Optional.empty();
    for (String name : names) {
      try {
        system.delete(parent.child(name));
      } catch (IOException e) {
        MillraceException failure =
            failed("File " + parent.child(name) + " of a checkpoint cannot be deleted", e);
        first = first.or(() -> Optional.of(failure));
      }
    }
    if (first.isPresent()) {
      throw first.get();
    }
  }

  private static MillraceException failed(String what, IOException cause) {
    return new MillraceException(ErrorKind.EXTERNAL, what + ": " + cause, cause);
  }
}
