package io.millrace.control.archive;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.Messages;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The file of an archived job: magic number (8 bytes), fingerprint of the codec's record types (8),
 * SHA-256 of the content (32), content in the record codec. {@link #decode} detects foreign files,
 * files of another release and damage before it decodes the content.
 */
final class ArchiveFileFormat {
  private static final long MAGIC = 0x4d696c6c4a6f6231L; // MillJob1
  private static final int HASH = 32;
  private static final int HEADER = Long.BYTES + Long.BYTES + HASH;

  /** The size of the largest file. */
  static final int MAX_BYTES = HEADER + Messages.MAX_ARCHIVED;

  /** Created on first use, because most processes neither archive nor read a job. */
  private static final class Lazy {
    private static final RecordCodec CODEC = Messages.archiveCodec();
    private static final long FINGERPRINT = CODEC.fingerprint();
  }

  private ArchiveFileFormat() {}

  static Bytes encode(ArchivedJob job) {
    byte[] content = Lazy.CODEC.encode(job);
    ByteBuffer file = ByteBuffer.allocate(HEADER + content.length);
    file.putLong(MAGIC).putLong(Lazy.FINGERPRINT);
    file.put(Bytes.wrap(content).sha256()).put(content);
    return Bytes.wrap(file.array());
  }

  /** Throws if the content is not a valid archive file of this job. */
  static ArchivedJob decode(JobId job, Bytes file) {
    ByteBuffer in = ByteBuffer.wrap(file.unsafeArray());
    if (in.remaining() < HEADER || in.getLong() != MAGIC) {
      throw unusable("it is not an archive file of a job");
    }
    if (in.getLong() != Lazy.FINGERPRINT) {
      throw unusable("it was written by another release of Millrace");
    }
    byte[] hash = new byte[HASH];
    in.get(hash);
    Bytes content = file.slice(HEADER, file.length());
    if (!Arrays.equals(hash, content.sha256())) {
      throw unusable("it is damaged");
    }
    ArchivedJob found = Lazy.CODEC.decode(ArchivedJob.class, content);
    if (!found.job().equals(job)) {
      throw unusable("it belongs to job " + found.job());
    }
    return found;
  }

  private static MillraceException unusable(String why) {
    return new MillraceException(ErrorKind.EXTERNAL, why);
  }
}
