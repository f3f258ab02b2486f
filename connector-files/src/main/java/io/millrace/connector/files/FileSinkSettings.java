package io.millrace.connector.files;

import io.millrace.core.fs.FilePath;
import java.io.Serializable;

/**
 * What a program says of a {@link FileSink}.
 *
 * @param rollBytes the size at which a part is closed, 0 for the default
 * @param rollMillis the age at which a part is closed, 0 for no limit
 */
record FileSinkSettings<T>(
    String directory,
    FileWriteFormat<T> format,
    BucketAssigner<T> buckets,
    PartNames names,
    Compression compression,
    boolean overwrite,
    long rollBytes,
    long rollMillis,
    int openParts)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  FilePath path() {
    return FilePath.parse(directory);
  }

  /** With the suffix of the compression. */
  PartNames fileNames() {
    return new PartNames(names.prefix(), names.suffix() + compression.suffix());
  }

  FileSinkSettings<T> withBuckets(BucketAssigner<T> changed) {
    return new FileSinkSettings<>(
        directory,
        format,
        changed,
        names,
        compression,
        overwrite,
        rollBytes,
        rollMillis,
        openParts);
  }

  FileSinkSettings<T> withNames(PartNames changed) {
    return new FileSinkSettings<>(
        directory,
        format,
        buckets,
        changed,
        compression,
        overwrite,
        rollBytes,
        rollMillis,
        openParts);
  }

  FileSinkSettings<T> withCompression(Compression changed) {
    return new FileSinkSettings<>(
        directory, format, buckets, names, changed, overwrite, rollBytes, rollMillis, openParts);
  }

  FileSinkSettings<T> overwriting() {
    return new FileSinkSettings<>(
        directory, format, buckets, names, compression, true, rollBytes, rollMillis, openParts);
  }

  FileSinkSettings<T> rolling(long bytes, long millis) {
    return new FileSinkSettings<>(
        directory, format, buckets, names, compression, overwrite, bytes, millis, openParts);
  }

  FileSinkSettings<T> withOpenParts(int changed) {
    return new FileSinkSettings<>(
        directory, format, buckets, names, compression, overwrite, rollBytes, rollMillis, changed);
  }
}
