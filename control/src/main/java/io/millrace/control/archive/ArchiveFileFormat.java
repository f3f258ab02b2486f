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
 * An ended job as bytes: eight that say what this is, the fingerprint of the records in it, the
 * SHA-256 of what follows, and the job in the record codec. What was damaged, written by a release
 * with other records, or is something else altogether is told before any of it is decoded.
 */
final class ArchiveFileFormat {
  private static final long MAGIC = 0x4d696c6c4a6f6231L; // MillJob1
  private static final int HASH = 32;
  private static final int HEADER = Long.BYTES + Long.BYTES + HASH;

  /** The bytes of the largest one. */
  static final int MOST = HEADER + Messages.MAX_ARCHIVED;

  /** Made when the first job ends or is asked for: most processes start without either. */
  private static final class Lazy {
    private static final RecordCodec CODEC = Messages.archiveCodec();
    private static final long FINGERPRINT = CODEC.fingerprint();
  }

  private ArchiveFileFormat() {}

  static Bytes encode(ArchivedJob job) {
    byte[] content = Lazy.CODEC.encode(job);
    ByteBuffer page = ByteBuffer.allocate(HEADER + content.length);
    page.putLong(MAGIC).putLong(Lazy.FINGERPRINT);
    page.put(Bytes.wrap(content).sha256()).put(content);
    return Bytes.wrap(page.array());
  }

  /** Throws where these are not the bytes of this job. */
  static ArchivedJob decode(JobId job, Bytes page) {
    ByteBuffer in = ByteBuffer.wrap(page.unsafeArray());
    if (in.remaining() < HEADER || in.getLong() != MAGIC) {
      throw unusable("it is not the file of an ended job");
    }
    if (in.getLong() != Lazy.FINGERPRINT) {
      throw unusable("another release of Millrace has written it");
    }
    byte[] hash = new byte[HASH];
    in.get(hash);
    Bytes content = page.slice(HEADER, page.length());
    if (!Arrays.equals(hash, content.sha256())) {
      throw unusable("it is damaged");
    }
    ArchivedJob found = Lazy.CODEC.decode(ArchivedJob.class, content);
    if (!found.job().equals(job)) {
      throw unusable("it is that of job " + found.job());
    }
    return found;
  }

  private static MillraceException unusable(String why) {
    return new MillraceException(ErrorKind.EXTERNAL, why);
  }
}
