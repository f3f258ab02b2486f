package io.millrace.protocol;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.VertexId;
import io.millrace.task.Placement;
import io.millrace.task.Placement.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * A {@link Placement} in a message to many workers. A large one is encoded and compressed once
 * instead of once per worker: in a region with thousands of workers each worker gets the addresses
 * of all.
 */
public sealed interface PlacementTable {

  Placement open();

  /** The table in the form in which it is sent to all workers of a region. */
  static PlacementTable of(Placement placement) {
    return placement.hosts().size() < Packed.MIN_PACKED_HOSTS
        ? new Plain(placement)
        : Packed.pack(placement);
  }

  record Plain(Placement placement) implements PlacementTable {
    public Plain {
      Objects.requireNonNull(placement);
    }

    @Override
    public Placement open() {
      return placement;
    }
  }

  /**
   * @param size the uncompressed length in bytes
   */
  record Packed(Bytes packed, int size) implements PlacementTable {
    private static final int MIN_PACKED_HOSTS = 64;

    /** The largest uncompressed table, for some hundred thousand workers. */
    private static final int MAX_SIZE = 64 << 20;

    private static final class Codec {
      private static final RecordCodec INSTANCE = RecordCodec.of(List.of(Flat.class), MAX_SIZE);
    }

    /**
     * A table without an object per host and run, which decodes faster.
     *
     * @param hosts separated by line breaks
     * @param runs three numbers per run of each vertex: the distance of its first subtask from the
     *     end of the previous run, the number of subtasks, and the distance of its host from the
     *     previous host. They repeat if workers were filled one after the other, and then compress
     *     well.
     */
    private record Flat(String hosts, List<VertexId> vertices, List<int[]> runs) {
      private Flat {
        if (vertices.size() != runs.size()) {
          throw new IllegalArgumentException(
              vertices.size() + " vertices and runs of " + runs.size());
        }
        for (int[] numbers : runs) {
          if (numbers.length % 3 != 0) {
            throw new IllegalArgumentException(numbers.length + " numbers are no whole runs");
          }
        }
      }

      static Flat of(Placement placement) {
        List<int[]> runs = new ArrayList<>();
        for (List<Run> ofVertex : placement.runs().values()) {
          int[] numbers = new int[3 * ofVertex.size()];
          int position = 0;
          int end = 0;
          int host = 0;
          for (Run run : ofVertex) {
            numbers[position++] = run.first() - end;
            numbers[position++] = run.count();
            numbers[position++] = run.host() - host;
            end = run.first() + run.count();
            host = run.host();
          }
          runs.add(numbers);
        }
        return new Flat(
            String.join("\n", placement.hosts()), new ArrayList<>(placement.runs().keySet()), runs);
      }

      Placement placement() {
        Map<VertexId, List<Run>> runsByVertex = new LinkedHashMap<>();
        for (int v = 0; v < vertices.size(); v++) {
          int[] numbers = runs.get(v);
          List<Run> ofVertex = new ArrayList<>(numbers.length / 3);
          int end = 0;
          int host = 0;
          for (int position = 0; position < numbers.length; position += 3) {
            host += numbers[position + 2];
            Run run = new Run(end + numbers[position], numbers[position + 1], host);
            ofVertex.add(run);
            end = run.first() + run.count();
          }
          runsByVertex.put(vertices.get(v), ofVertex);
        }
        return new Placement(hosts.lines().toList(), runsByVertex);
      }
    }

    public Packed {
      Objects.requireNonNull(packed);
      if (size < 1 || size > MAX_SIZE) {
        throw new IllegalArgumentException("A table has up to " + MAX_SIZE + " bytes, not " + size);
      }
    }

    static Packed pack(Placement placement) {
      byte[] plain = Codec.INSTANCE.encode(Flat.of(placement));
      Deflater deflater = new Deflater(Deflater.BEST_SPEED);
      try {
        deflater.setInput(plain);
        deflater.finish();
        byte[] packed = new byte[plain.length + 64];
        int length = 0;
        while (!deflater.finished()) {
          length += deflater.deflate(packed, length, packed.length - length);
        }
        return new Packed(Bytes.wrap(Arrays.copyOf(packed, length)), plain.length);
      } finally {
        deflater.end();
      }
    }

    @Override
    public Placement open() {
      byte[] plain = new byte[size];
      Inflater inflater = new Inflater();
      try {
        inflater.setInput(packed.unsafeArray());
        if (inflater.inflate(plain) != size) {
          throw damaged(new DataFormatException("it ends early"));
        }
      } catch (DataFormatException e) {
        throw damaged(e);
      } finally {
        inflater.end();
      }
      return Codec.INSTANCE.decode(Flat.class, Bytes.wrap(plain)).placement();
    }

    private static MillraceException damaged(DataFormatException cause) {
      return new MillraceException(
          ErrorKind.BUG,
          "A packed table of " + Placement.class.getName() + " cannot be decompressed",
          cause);
    }
  }
}
