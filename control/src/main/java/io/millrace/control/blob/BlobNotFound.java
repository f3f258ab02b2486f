package io.millrace.control.blob;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import java.nio.file.NoSuchFileException;

/** Thrown by all stores for a blob that they do not have. */
final class BlobNotFound extends MillraceException {
  private static final long serialVersionUID = 1L;

  BlobNotFound(BlobKey key) {
    this(key, null);
  }

  BlobNotFound(BlobKey key, NoSuchFileException cause) {
    super(
        ErrorKind.RESOURCE,
        "There is no blob "
            + key
            + ": it was never uploaded, or was removed when its job ended. Submit the job again.",
        cause);
  }
}
