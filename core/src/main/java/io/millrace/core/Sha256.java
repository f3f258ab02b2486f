package io.millrace.core;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, the hash that identifies content. */
public final class Sha256 {
  /** The length of a hash. */
  public static final int BYTES = 32;

  private Sha256() {}

  /** A digest for incremental hashing. */
  public static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("The Java runtime has no SHA-256", e);
    }
  }
}
