package io.millrace.core;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An immutable byte array with value equality, for use in message records.
 *
 * <p>{@link #wrap} takes ownership of the array: the caller must not modify it afterwards.
 */
public final class Bytes {
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private final byte[] content;

  private Bytes(byte[] content) {
    this.content = content;
  }

  public static Bytes wrap(byte[] content) {
    return content.length == 0 ? EMPTY : new Bytes(content);
  }

  public static Bytes copyOf(byte[] content, int from, int to) {
    return wrap(Arrays.copyOfRange(content, from, to));
  }

  public static Bytes utf8(String text) {
    return wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  public int length() {
    return content.length;
  }

  public boolean isEmpty() {
    return content.length == 0;
  }

  public byte[] toArray() {
    return content.clone();
  }

  /** The array itself, not a copy. Callers must not modify it. */
  public byte[] unsafeArray() {
    return content;
  }

  public Bytes slice(int from, int to) {
    return copyOf(content, from, to);
  }

  public byte[] sha256() {
    return Sha256.begin().digest(content);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes that && Arrays.equals(content, that.content);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(content);
  }

  @Override
  public String toString() {
    return "Bytes[" + content.length + "]";
  }
}
