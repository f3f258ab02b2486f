package io.millrace.graph;

import io.millrace.core.id.BlobKey;
import java.util.Objects;

/** A jar of the user's program, or another file that travels with it, stored as a blob. */
public record JarFile(String name, BlobKey blob) {
  public JarFile {
    Objects.requireNonNull(name);
    Objects.requireNonNull(blob);
  }
}
