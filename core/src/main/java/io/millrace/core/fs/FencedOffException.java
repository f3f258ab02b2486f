package io.millrace.core.fs;

import java.io.IOException;

/** Another process has taken over the directory. This process cannot change it any more. */
public final class FencedOffException extends IOException {
  private static final long serialVersionUID = 1L;

  FencedOffException(FilePath directory, IOException cause) {
    super(directory + " was taken over by another process; this process cannot change it", cause);
  }
}
