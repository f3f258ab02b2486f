package io.millrace.protocol;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.task.Placement;
import java.util.Arrays;
import java.util.List;
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
      private static final RecordCodec INSTANCE = RecordCodec.of(List.of(Placement.class), LARGEST);
    }

    public Packed {
      Objects.requireNonNull(packed);
      if (size < 1 || size > LARGEST) {
        throw new IllegalArgumentException("A table has up to " + LARGEST + " bytes, not " + size);
      }
    }

    static Packed pack(Placement placement) {
      byte[] plain = Codec.INSTANCE.encode(placement);
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
      return Codec.INSTANCE.decode(Placement.class, Bytes.wrap(plain));
    }

    private static MillraceException broken(DataFormatException cause) {
      return new MillraceException(
          ErrorKind.BUG, "A packed table of " + Placement.class.getName() + " is broken", cause);
    }
  }
}
