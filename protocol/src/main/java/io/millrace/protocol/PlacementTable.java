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
 * A {@link Placement} on its way to many workers. A large one is encoded and compressed once, not
 * for each of them: a region over thousands of workers names all of them to all of them.
 */
public sealed interface PlacementTable {

  Placement open();

  /** A table as it is sent to a worker, or to all of a region's workers. */
  static PlacementTable of(Placement placement) {
    return placement.hosts().size() < Packed.FEWEST_HOSTS
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
   * @param size how many bytes it has unpacked
   */
  record Packed(Bytes packed, int size) implements PlacementTable {
    private static final int FEWEST_HOSTS = 64;

    /** Of a table unpacked: some hundred thousand workers. */
    private static final int LARGEST = 64 << 20;

    private static final class Codec {
      private static final RecordCodec INSTANCE = RecordCodec.of(List.of(Flat.class), LARGEST);
    }

    /**
     * A table without an object for each host and run, which a worker among thousands would wait
     * for.
     *
     * @param hosts in lines
     * @param runs three numbers for each run of each vertex: how far its first subtask is from the
     *     end of the run before, how many there are, and how far its host is from the one before;
     *     on workers that were filled one after the other these repeat themselves
     */
    private record Flat(String hosts, List<VertexId> vertices, List<int[]> runs) {
      static Flat of(Placement placement) {
        List<int[]> runs = new ArrayList<>();
        for (List<Run> ofVertex : placement.runs().values()) {
          int[] numbers = new int[3 * ofVertex.size()];
          int at = 0;
          int end = 0;
          int host = 0;
          for (Run run : ofVertex) {
            numbers[at++] = run.first() - end;
            numbers[at++] = run.count();
            numbers[at++] = run.host() - host;
            end = run.first() + run.count();
            host = run.host();
          }
          runs.add(numbers);
        }
        return new Flat(
            String.join("\n", placement.hosts()), new ArrayList<>(placement.runs().keySet()), runs);
      }

      Placement placement() {
        Map<VertexId, List<Run>> all = new LinkedHashMap<>();
        for (int v = 0; v < vertices.size(); v++) {
          int[] numbers = runs.get(v);
          List<Run> ofVertex = new ArrayList<>(numbers.length / 3);
          int end = 0;
          int host = 0;
          for (int at = 0; at < numbers.length; at += 3) {
            host += numbers[at + 2];
            Run run = new Run(end + numbers[at], numbers[at + 1], host);
            ofVertex.add(run);
            end = run.first() + run.count();
          }
          all.put(vertices.get(v), ofVertex);
        }
        return new Placement(hosts.lines().toList(), all);
      }
    }

    public Packed {
      Objects.requireNonNull(packed);
      if (size < 1 || size > LARGEST) {
        throw new IllegalArgumentException("A table has up to " + LARGEST + " bytes, not " + size);
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
          throw broken(new DataFormatException("it ends early"));
        }
      } catch (DataFormatException e) {
        throw broken(e);
      } finally {
        inflater.end();
      }
      return Codec.INSTANCE.decode(Flat.class, Bytes.wrap(plain)).placement();
    }

    private static MillraceException broken(DataFormatException cause) {
      return new MillraceException(
          ErrorKind.BUG, "A packed table of " + Placement.class.getName() + " is broken", cause);
    }
  }
}
