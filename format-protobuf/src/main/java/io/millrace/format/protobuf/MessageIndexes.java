package io.millrace.format.protobuf;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.Descriptor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The place of a message in its file: the index of the outermost message, of the next one in it,
 * and so on. In messages with ids of schemas their number and they themselves are zigzag varints;
 * the first message of a file has a single 0 instead.
 */
record MessageIndexes(List<Integer> path) {
  private static final List<Integer> FIRST = List.of(0);

  /** Messages are not nested as deeply. */
  private static final int DEEPEST = 100;

  MessageIndexes {
    path = List.copyOf(path);
  }

  static MessageIndexes of(Descriptor message) {
    ArrayDeque<Integer> path = new ArrayDeque<>();
    for (Descriptor at = message; at != null; at = at.getContainingType()) {
      path.addFirst(at.getIndex());
    }
    return new MessageIndexes(List.copyOf(path));
  }

  /** Reads from the position of the buffer, and moves it behind. */
  static MessageIndexes read(ByteBuffer in) throws IOException {
    CodedInputStream coded = CodedInputStream.newInstance(in.duplicate());
    int count = coded.readSInt32();
    if (count < 0 || count > DEEPEST) {
      throw new MillraceException(
          ErrorKind.USER,
          "Behind the id of the schema is no place of a message: it has " + count + " indexes.");
    }
    List<Integer> path = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      path.add(coded.readSInt32());
    }
    in.position(in.position() + coded.getTotalBytesRead());
    return new MessageIndexes(count == 0 ? FIRST : path);
  }

  void write(OutputStream out) throws IOException {
    CodedOutputStream coded = CodedOutputStream.newInstance(out);
    if (path.equals(FIRST)) {
      coded.writeSInt32NoTag(0);
    } else {
      coded.writeSInt32NoTag(path.size());
      for (int index : path) {
        coded.writeSInt32NoTag(index);
      }
    }
    coded.flush();
  }
}
