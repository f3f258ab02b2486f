package io.millrace.dataplane.records;

import io.millrace.api.operator.SplitAssignment;
import io.millrace.api.source.TextFileSplit;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes assignments of splits of text files field by field. These are the first records of most
 * jobs: if Fory encoded them, each new process would load and compile its serializers before it
 * reads a line.
 */
final class SplitAssignmentCodec {
  private SplitAssignmentCodec() {}

  /** Whether an assignment has no splits of other sources. */
  static boolean supports(SplitAssignment assignment) {
    for (Object split : assignment.splits()) {
      if (!(split instanceof TextFileSplit)) {
        return false;
      }
    }
    return true;
  }

  static void encode(SplitAssignment assignment, ByteArrayOutput out) {
    out.putInt(assignment.reader());
    out.putVarInt(assignment.splits().size());
    for (Object each : assignment.splits()) {
      TextFileSplit split = (TextFileSplit) each;
      RecordBatchCodec.encodePlain(split.file(), out);
      out.putLong(split.from());
      out.putLong(split.next());
      out.putLong(split.to());
    }
  }

  static SplitAssignment decode(ByteArrayInput in) {
    int reader = in.readInt();
    int count = in.readVarInt();
    if (count < 0 || count > in.remaining()) {
      throw new MillraceException(
          ErrorKind.BUG,
          "An assignment claims " + count + " splits in " + in.remaining() + " bytes");
    }
    List<Object> splits = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      if (!(RecordBatchCodec.decodePlain(in) instanceof String file)) {
        throw new MillraceException(ErrorKind.BUG, "A split of a text file has no name of a file");
      }
      splits.add(new TextFileSplit(file, in.readLong(), in.readLong(), in.readLong()));
    }
    return new SplitAssignment(reader, splits);
  }
}
