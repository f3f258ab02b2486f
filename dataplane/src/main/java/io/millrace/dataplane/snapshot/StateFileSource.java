package io.millrace.dataplane.snapshot;

import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystems;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskRestore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where state files are read: from a local copy that is intact, else from the storage of the
 * checkpoint. Belongs to one thread.
 */
public final class StateFileSource {
  private static final Logger LOG = LoggerFactory.getLogger(StateFileSource.class);
  private static final int BUFFER = 1 << 16;

  private final FileSystems storage;
  private final Function<String, Optional<Path>> copies;
  private final Map<StateHandle.FileSegment, Optional<Path>> checked = new HashMap<>();

  /**
   * @param copies finds the local copy of a file by its name
   */
  StateFileSource(FileSystems storage, Function<String, Optional<Path>> copies) {
    this.storage = storage;
    this.copies = copies;
  }

  /** Reads from storage only. */
  public static StateFileSource storage(FileSystems storage) {
    return new StateFileSource(storage, name -> Optional.empty());
  }

  FileSystems storage() {
    return storage;
  }

  static FilePath path(TaskRestore from, StateHandle.FileSegment segment) {
    String parent =
        segment.directory() == StateHandle.Directory.SHARED
            ? from.sharedDirectory()
            : from.directory();
    return FilePath.parse(parent).child(segment.file());
  }

  /** A local copy of a file, in which a segment has the right content. */
  Optional<Path> copy(StateHandle.FileSegment segment) {
    return checked.computeIfAbsent(
        segment, key -> copies.apply(key.file()).filter(copy -> isIntact(copy, key)));
  }

  private static boolean isIntact(Path copy, StateHandle.FileSegment segment) {
    CRC32C checksum = new CRC32C();
    byte[] buffer = new byte[BUFFER];
    long left = segment.size();
    try (InputStream in = Files.newInputStream(copy)) {
      in.skipNBytes(segment.offset());
      int read;
      while (left > 0 && (read = in.read(buffer, 0, (int) Math.min(BUFFER, left))) >= 0) {
        checksum.update(buffer, 0, read);
        left -= read;
      }
    } catch (IOException e) {
      LOG.debug("The local copy {} of a state file cannot be read", copy, e);
      return false;
    }
    if (left > 0 || (int) checksum.getValue() != segment.checksum()) {
      LOG.debug("The local copy {} of a state file is damaged", copy);
      return false;
    }
    LOG.debug("{} bytes of state are read from the local copy {}", segment.size(), copy);
    return true;
  }
}
