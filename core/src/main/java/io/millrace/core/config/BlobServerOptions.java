package io.millrace.core.config;

/** Options of the store of jars and graphs. */
public final class BlobServerOptions {
  public static final Option<String> STORAGE_DIRECTORY =
      Option.text(
          "blob.storage.directory",
          "Directory for jars and graphs; a directory under io.tmp.dirs by default.");

  private BlobServerOptions() {}
}
