package io.millrace.core.codec;

/**
 * How values of one type are written and read.
 *
 * <p>Every value takes at least one byte, so that a promised number of elements can be checked
 * against the bytes that are left before anything is allocated for them.
 */
sealed interface TypeCodec
    permits ScalarTypeCodec,
        EnumTypeCodec,
        OptionalTypeCodec,
        CollectionTypeCodec,
        MapTypeCodec,
        RecordTypeCodec,
        SealedTypeCodec,
        ClassTable {

  void write(WireWriter out, Object value);

  Object read(WireReader in);

  /** The plans this one leads to, built if they are not yet. */
  TypeCodec[] parts();
}
