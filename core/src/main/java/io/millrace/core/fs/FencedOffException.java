package io.millrace.core.fs;

import java.io.IOException;

/** Another process has taken the directory: this one changes nothing in it any more. */
public final class FencedOffException extends IOException {
  private static final long serialVersionUID = 1L;

  FencedOffException(FilePath directory, IOException cause) {
    super(
        directory + " was taken over by another process, so that this one may not change it",
        cause);
  }
}
