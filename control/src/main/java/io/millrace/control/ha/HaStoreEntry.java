package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.Sha256;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;

/** The content of the file or node of a key. It ends with a hash over the rest. */
public record HaStoreEntry(String key, Bytes value, long version, long term) {
  private static final int MAGIC = 0x4d524841;
  private static final int FORMAT = 1;
  private static final int HASH = 32;

  public ByteBuffer encode() {
    byte[] name = key.getBytes(StandardCharsets.UTF_8);
    ByteBuffer file = ByteBuffer.allocate(4 * 4 + 2 * 8 + name.length + value.length() + HASH);
    file.putInt(MAGIC).putInt(FORMAT).putLong(version).putLong(term);
    file.putInt(name.length).put(name);
    file.putInt(value.length()).put(value.unsafeArray());
    file.put(hash(file.array(), file.position()));
    return file.flip();
  }

  /**
   * @param path names the file in errors
   */
  public static HaStoreEntry decode(Object path, byte[] content) {
    int end = content.length - HASH;
    if (end < 0 || !Arrays.equals(hash(content, end), 0, HASH, content, end, content.length)) {
      throw damaged(path, "its content does not have the hash it was written with");
    }
    ByteBuffer file = ByteBuffer.wrap(content, 0, end);
    try {
      if (file.getInt() != MAGIC) {
        throw damaged(path, "it was not written by Millrace");
      }
      int format = file.getInt();
      if (format != FORMAT) {
        throw damaged(path, "its format is " + format + " and this release reads " + FORMAT);
      }
      long version = file.getLong();
      long term = file.getLong();
      String key = new String(readPart(path, file), StandardCharsets.UTF_8);
      return new HaStoreEntry(key, Bytes.wrap(readPart(path, file)), version, term);
    } catch (BufferUnderflowException e) {
      throw damaged(path, "it ends too early");
    }
  }

  /** Throws if a key must not get another value from a writer with this expectation and term. */
  public static void checkWrite(
      Optional<HaStoreEntry> before, String key, long expectedVersion, long writerTerm) {
    if (before.isPresent()) {
      before.get().check(expectedVersion, writerTerm);
    } else {
      checkVersion(key, HaStore.ABSENT, expectedVersion);
    }
  }

  /** Throws if this value must not be replaced by a writer with this expectation and term. */
  public void check(long expectedVersion, long writerTerm) {
    checkVersion(key, version, expectedVersion);
    if (term > writerTerm) {
      throw StaleWriteException.ofLaterTerm(
          "'" + key + "' was written in term " + term + ", which is later than " + writerTerm);
    }
  }

  private static void checkVersion(String key, long version, long expectedVersion) {
    if (version != expectedVersion) {
      throw new StaleWriteException(
          "'" + key + "' has version " + version + " and not the expected " + expectedVersion);
    }
  }

  /** Throws unless this is the value of the key. */
  public HaStoreEntry checkKey(Object file, String expected) {
    if (!key.equals(expected)) {
      throw damaged(file, "it holds the value of '" + key + "'");
    }
    return this;
  }

  /** Throws unless the file of this name may hold the value of the key. */
  public static void checkName(Object file, String name, String key) {
    if (!KeyFileName.name(key).equals(name)) {
      throw damaged(file, "its name does not belong to its key");
    }
  }

  static MillraceException damaged(Object file, String how) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "The stored value in "
            + file
            + " is damaged: "
            + how
            + ". Nothing was deleted. Restore the file from a copy, or delete it and lose its"
            + " value.");
  }

  private static byte[] readPart(Object path, ByteBuffer file) {
    int length = file.getInt();
    if (length < 0 || length > file.remaining()) {
      throw damaged(path, "a length in it is wrong");
    }
    byte[] part = new byte[length];
    file.get(part);
    return part;
  }

  private static byte[] hash(byte[] content, int end) {
    MessageDigest digest = Sha256.begin();
    digest.update(content, 0, end);
    return digest.digest();
  }
}
