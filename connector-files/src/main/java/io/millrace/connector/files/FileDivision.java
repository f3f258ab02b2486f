package io.millrace.connector.files;

import io.millrace.api.function.Collector;
import io.millrace.core.fs.FileStatus;
import java.util.List;

/**
 * Divides files into splits.
 *
 * @param splitBytes the size of splits, 0 for the default
 */
record FileDivision(FileReadFormat<?> format, long splitBytes, int readers) {
  private static final long SMALLEST_SPLIT = 256 << 10;
  private static final long LARGEST_SPLIT = 64 << 20;

  /** More splits than readers, so that a reader that is quick reads more. */
  private static final int SPLITS_PER_READER = 4;

  void divide(List<FileStatus> files, Collector<FileSplit> splits) {
    long size = splitBytes > 0 ? splitBytes : defaultSize(files);
    for (FileStatus file : files) {
      String name = file.path().toString();
      boolean compressed =
          !format.compressesItself() && Compression.ofName(file.path().name()) != Compression.NONE;
      // Without a length: empty, or one of those whose length is not known before the end.
      if (compressed || !format.isDivisible() || file.length() == 0) {
        splits.emit(new FileSplit(name, 0, Long.MAX_VALUE));
        continue;
      }
      for (long from = 0; from < file.length(); from += size) {
        boolean last = file.length() - from <= size;
        // A file with its own structure knows its end, also if it was found before it was complete.
        long end = format.compressesItself() ? Long.MAX_VALUE : file.length();
        splits.emit(new FileSplit(name, from, last ? end : from + size));
      }
    }
  }

  private long defaultSize(List<FileStatus> files) {
    long total = files.stream().mapToLong(FileStatus::length).sum();
    long even = total / ((long) SPLITS_PER_READER * readers);
    return Math.max(SMALLEST_SPLIT, Math.min(LARGEST_SPLIT, even));
  }
}
