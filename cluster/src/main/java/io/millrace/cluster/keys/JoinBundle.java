package io.millrace.cluster.keys;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.Sha256;
import io.millrace.core.codec.CodecException;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.core.security.PrivateFile;
import io.millrace.core.security.RestToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What one TaskManager on another machine needs to join a cluster, as one file. Whoever has it can
 * run a TaskManager with this id.
 *
 * <p>The file is text: a line with the version, comments, and Base64 of the encoded record and its
 * SHA-256.
 *
 * @param worker the id of the TaskManager, also the name in its certificate
 * @param expires the end of the validity of the certificate: no process of the cluster accepts a
 *     connection with it later
 * @param options the configuration of the TaskManager, with the address of the JobManager
 * @param keyStore the key and the certificates, as {@code security.ssl.internal.keystore}
 * @param password of the key store
 * @param secret the secret of the cluster
 */
public record JoinBundle(
    String worker,
    Instant expires,
    Map<String, String> options,
    Bytes keyStore,
    String password,
    String secret) {
  private static final String FIRST_LINE = "millrace join bundle 1";
  private static final int MAX_BYTES = 128 << 10;
  private static final int MAX_FILE_BYTES = 256 << 10;
  private static final int LINE = 76;
  private static final RecordCodec CODEC = RecordCodec.of(List.of(JoinBundle.class), MAX_BYTES);

  public JoinBundle {
    // The id is the name of a file.
    if (!worker.matches("[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")) {
      throw new MillraceException(
          ErrorKind.USER,
          "A TaskManager that joins needs an id of 1 to 100 letters, digits, '-', '_' and '.', not '"
              + worker
              + "'.");
    }
    options = OrderedCopies.map(options);
  }

  /** A bundle with a new key. */
  public static JoinBundle of(
      ClusterKeys keys, WorkerId worker, Configuration options, Instant now, Instant expires)
      throws IOException {
    String password = RestToken.random();
    return new JoinBundle(
        worker.value(),
        expires,
        options.entries(),
        Bytes.wrap(keys.remoteWorker(worker, expires, password, now)),
        password,
        keys.readSecret());
  }

  /** Writes the bundle to a new file with mode 600. */
  public void write(Path file) throws IOException {
    byte[] encoded = CODEC.encode(this);
    byte[] summed =
        ByteBuffer.allocate(encoded.length + Sha256.BYTES)
            .put(encoded)
            .put(Sha256.begin().digest(encoded))
            .array();
    String text =
        FIRST_LINE
            + "\n# Lets TaskManager "
            + worker
            + " join until "
            + expires
            + ". Keep it secret: it contains a key.\n# Use: millrace cluster join FILE\n"
            + Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(summed)
            + "\n";
    try {
      PrivateFile.create(file, text);
    } catch (FileAlreadyExistsException e) {
      throw new MillraceException(
          ErrorKind.USER, file + " exists already. Name another file for the bundle.", e);
    }
  }

  /** Reads a file that {@link #write} has written. Nothing in it is trusted. */
  public static JoinBundle read(Path file) {
    String text;
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw isNone(file);
      }
      PrivateFile.check("The bundle", file);
      text = Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "There is no file "
              + file
              + ". Write a bundle with `millrace cluster bundle` on the machine of the JobManager, and"
              + " copy it to this one.",
          e);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER, "The bundle " + file + " cannot be read: " + Failure.sentence(e), e);
    }
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.get(0).equals(FIRST_LINE)) {
      throw isNone(file);
    }
    String content =
        lines.stream().skip(1).filter(line -> !line.startsWith("#")).collect(Collectors.joining());
    try {
      return decode(Base64.getDecoder().decode(content));
    } catch (IllegalArgumentException | CodecException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The bundle " + file + " is damaged or incomplete. Copy it again, or write a new one.",
          e);
    }
  }

  private static JoinBundle decode(byte[] summed) {
    int length = summed.length - Sha256.BYTES;
    if (length < 0) {
      throw new IllegalArgumentException("It is too short");
    }
    byte[] encoded = Arrays.copyOf(summed, length);
    byte[] sum = Arrays.copyOfRange(summed, length, summed.length);
    if (!MessageDigest.isEqual(sum, Sha256.begin().digest(encoded))) {
      throw new IllegalArgumentException("Its checksum differs");
    }
    return CODEC.decode(JoinBundle.class, Bytes.wrap(encoded));
  }

  private static MillraceException isNone(Path file) {
    return new MillraceException(
        ErrorKind.USER,
        file
            + " is not a bundle that `millrace cluster bundle` of this version has written. Name the"
            + " file that it has written.");
  }

  /** Throws if no process accepts the key any more. */
  public void checkValid(Instant now) {
    if (!now.isBefore(expires)) {
      throw new MillraceException(
          ErrorKind.USER,
          "The bundle of TaskManager "
              + worker
              + " has expired at "
              + expires
              + ". Write a new one with `millrace cluster bundle` on the machine of the JobManager.");
    }
  }

  /** Leaves the secrets out. */
  @Override
  public String toString() {
    return "JoinBundle[" + worker + ", until " + expires + "]";
  }
}
