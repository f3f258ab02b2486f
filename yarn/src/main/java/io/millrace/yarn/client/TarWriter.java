package io.millrace.yarn.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes files to a stream in the format of {@code tar}. Keeps modification times: a JVM ignores
 * its CDS archive if the time of a jar has changed.
 */
final class TarWriter {
  private static final int BLOCK = 512;
  private static final int NAME_LENGTH = 100;
  private static final int PREFIX_LENGTH = 155;

  /** Two empty blocks mark the end. */
  private static final int END_LENGTH = 2 * BLOCK;

  private final OutputStream out;

  TarWriter(OutputStream out) {
    this.out = out;
  }

  /**
   * @param name relative path in the archive
   * @param modified in milliseconds since the epoch; the archive has whole seconds
   */
  record Entry(String name, Path file, long size, long modified) {
    static Entry of(String name, Path file) throws IOException {
      return new Entry(name, file, Files.size(file), Files.getLastModifiedTime(file).toMillis());
    }
  }

  /** The length of the archive of these files. */
  static long length(List<Entry> entries) {
    return entries.stream().mapToLong(entry -> BLOCK + padded(entry.size())).sum() + END_LENGTH;
  }

  private static long padded(long size) {
    return (size + BLOCK - 1) / BLOCK * BLOCK;
  }

  void write(List<Entry> entries) throws IOException {
    for (Entry entry : entries) {
      out.write(header(entry));
      long copied;
      try (InputStream in = Files.newInputStream(entry.file())) {
        copied = in.transferTo(out);
      }
      if (copied != entry.size()) {
        throw new IOException(
            entry.file()
                + " was changed while it was read: it has "
                + copied
                + " bytes instead of "
                + entry.size());
      }
      out.write(new byte[(int) (padded(copied) - copied)]);
    }
    out.write(new byte[END_LENGTH]);
  }

  private static byte[] header(Entry entry) throws IOException {
    byte[] header = new byte[BLOCK];
    name(header, entry.name());
    boolean executable = Files.isExecutable(entry.file());
    number(header, 100, 8, executable ? 0755 : 0644);
    number(header, 108, 8, 0);
    number(header, 116, 8, 0);
    number(header, 124, 12, entry.size());
    number(header, 136, 12, entry.modified() / 1000);
    header[156] = '0';
    text(header, 257, "ustar\0" + "00");
    // The checksum counts its own field as blanks.
    text(header, 148, "        ");
    int sum = 0;
    for (byte value : header) {
      sum += value & 0xff;
    }
    number(header, 148, 7, sum);
    return header;
  }

  private static void name(byte[] header, String name) throws IOException {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= NAME_LENGTH) {
      System.arraycopy(bytes, 0, header, 0, bytes.length);
      return;
    }
    // The part before a slash goes into the prefix field.
    for (int slash = bytes.length - NAME_LENGTH - 1;
        slash < bytes.length && slash <= PREFIX_LENGTH;
        slash++) {
      if (slash > 0 && bytes[slash] == '/') {
        System.arraycopy(bytes, 0, header, 345, slash);
        System.arraycopy(bytes, slash + 1, header, 0, bytes.length - slash - 1);
        return;
      }
    }
    throw new IOException("The path " + name + " is too long for an archive. Shorten it");
  }

  private static void number(byte[] header, int at, int length, long value) throws IOException {
    String digits = Long.toOctalString(value);
    if (digits.length() > length - 1) {
      throw new IOException("A file of more than 8 GiB does not fit into an archive");
    }
    text(header, at, "0".repeat(length - 1 - digits.length()) + digits + "\0");
  }

  private static void text(byte[] header, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }
}
