package io.millrace.core;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The one hash by which content is named and compared. */
public final class Sha256 {
  private Sha256() {}

  /** Begins to hash; what is hashed may come in parts. */
  public static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java runtime has SHA-256", e);
    }
  }
}
