package io.millrace.dataplane.snapshot;

/** Constants of the bytes of a piece; see {@code docs/state-format.md}. */
final class PieceFormat {
  /** "MLST". */
  static final int MAGIC = 0x5453_4c4d;

  static final int VERSION = 2;

  /** Has one watermark for all key groups of a piece. */
  static final int ONE_WATERMARK_VERSION = 1;

  static final int KEYED = 1;
  static final int LIST = 2;
  static final int IN_FLIGHT = 3;
  static final int NATIVE = 4;

  /** Magic, version, type. */
  static final int HEADER_BYTES = 4 + 1 + 1;

  /** Length and checksum. */
  static final int BATCH_HEADER_BYTES = 4 + 4;

  /** Length and checksum of the footer, magic. */
  static final int TRAILER_BYTES = 4 + 4 + 4;

  static final int MAX_ENTRIES = 256;

  /** A batch ends when its lists and maps have this many elements in all. */
  static final int MAX_ELEMENTS = 16 << 10;

  /** No footer and no batch is longer, so that a wrong length is not allocated. */
  static final int MAX_PART_BYTES = 1 << 30;

  private PieceFormat() {}
}
