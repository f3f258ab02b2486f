package io.millrace.dataplane.records;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.fory.Fory;
import org.apache.fory.context.MetaReadContext;
import org.apache.fory.context.MetaWriteContext;
import org.apache.fory.memory.MemoryBuffer;

/**
 * Encodes values of classes of the program with Fory. Fory describes a class in the first value
 * that contains it and refers to that description afterwards. Values are read in any order, so the
 * first one becomes an example of the dictionary and is encoded a second time.
 */
final class ForyValueCodec {
  private final ForyRecordCodec classes;
  private final ClassDictionary dictionary;
  private final MemoryBuffer buffer = MemoryBuffer.newHeapBuffer(4096);
  private final Object[] one = new Object[1];
  private final Kind trees = new Kind(true);
  private final Kind graphs = new Kind(false);

  /** Of the sections of the dictionary by number, as far as they were read. */
  private final List<ReadSection> read = new ArrayList<>();

  /** Values with or without references. */
  private final class Kind {
    final boolean trees;

    /** The section that new values refer to, -1 if there is none yet. */
    int section = -1;

    MetaWriteContext described;

    Kind(boolean trees) {
      this.trees = trees;
    }

    Fory fory() {
      return classes.describingOnce(!trees);
    }
  }

  private static final class ReadSection {
    final MetaReadContext described = new MetaReadContext();

    /** The number of examples that were read. */
    int examples;
  }

  ForyValueCodec(ForyRecordCodec classes, ClassDictionary dictionary) {
    this.classes = classes;
    this.dictionary = dictionary;
  }

  private Kind kind(boolean ofTrees) {
    return ofTrees ? trees : graphs;
  }

  void encode(Object value, ByteArrayOutput out) {
    one[0] = value;
    Kind kind = kind(classes.areTrees(one));
    one[0] = null;
    if (kind.section < 0) {
      open(kind);
    }
    int known = kind.described.classMap.size;
    write(kind, value);
    if (kind.described.classMap.size > known) {
      dictionary
          .examples(kind.section)
          .add(Arrays.copyOf(buffer.getHeapMemory(), buffer.writerIndex()));
      write(kind, value);
    }
    out.putVarInt(kind.section);
    out.putBytes(buffer.getHeapMemory(), 0, buffer.writerIndex());
    if (buffer.size() > 1 << 20) {
      buffer.pointTo(new byte[4096], 0, 4096);
    }
  }

  private void write(Kind kind, Object value) {
    Fory fory = kind.fory();
    buffer.writerIndex(0);
    fory.setMetaWriteContext(kind.described);
    try {
      fory.serialize(buffer, value);
    } catch (RuntimeException | StackOverflowError e) {
      // It may count a class as described that no example describes.
      kind.section = -1;
      fory.reset();
      one[0] = value;
      MillraceException failure = classes.unserializable(e, one);
      one[0] = null;
      throw failure;
    }
  }

  /** Continues the last section if this encoder describes its classes in the same way. */
  private void open(Kind kind) {
    int last = dictionary.last(kind.trees);
    kind.described = new MetaWriteContext();
    if (last >= 0 && describesAlike(kind, last)) {
      kind.section = last;
    } else {
      kind.described = new MetaWriteContext();
      kind.section = dictionary.add(kind.trees);
    }
  }

  private boolean describesAlike(Kind kind, int section) {
    MetaReadContext described = new MetaReadContext();
    Fory fory = kind.fory();
    for (byte[] example : dictionary.examples(section)) {
      try {
        fory.setMetaReadContext(described);
        Object value = fory.deserialize(MemoryBuffer.fromByteArray(example));
        buffer.writerIndex(0);
        fory.setMetaWriteContext(kind.described);
        fory.serialize(buffer, value);
      } catch (RuntimeException | StackOverflowError e) {
        // A class may have changed or be gone; its values say so when they are read.
        fory.reset();
        return false;
      }
      if (!Arrays.equals(
          example, 0, example.length, buffer.getHeapMemory(), 0, buffer.writerIndex())) {
        return false;
      }
    }
    return true;
  }

  Object decode(ByteArrayInput in) {
    int number = in.readVarInt();
    if (number < 0 || number >= dictionary.size()) {
      throw new MillraceException(
          ErrorKind.BUG, "A stored value refers to the unknown classes " + number);
    }
    while (read.size() <= number) {
      read.add(new ReadSection());
    }
    ReadSection section = read.get(number);
    Fory fory = kind(dictionary.ofTrees(number)).fory();
    List<byte[]> examples = dictionary.examples(number);
    for (; section.examples < examples.size(); section.examples++) {
      read(fory, section, MemoryBuffer.fromByteArray(examples.get(section.examples)));
    }
    int length = in.remaining();
    return read(fory, section, MemoryBuffer.fromByteArray(in.bytes, in.take(length), length));
  }

  private static Object read(Fory fory, ReadSection section, MemoryBuffer from) {
    fory.setMetaReadContext(section.described);
    try {
      return fory.deserialize(from);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      fory.reset();
      throw ForyRecordCodec.undeserializable(e);
    }
  }
}
