package io.millrace.dataplane.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AcyclicTypesTest {
  enum Colour {
    RED,
    GREEN {
      @Override
      boolean isDark() {
        return true;
      }
    };

    boolean isDark() {
      return false;
    }
  }

  record Point(int x, Integer y) {}

  record Shape(String name, Point at, Colour colour, double[] outline, Instant since) {}

  /** Public fields, a superclass, and a field that is not written. */
  static class Sized {
    public long size;
  }

  static final class Named extends Sized {
    public String name;
    transient int cached;
  }

  record OperatorChain(OperatorChain next) {}

  record Mutual(Other other) {}

  record Other(Mutual back) {}

  record Loose(Object held) {}

  record Listing(List<Integer> numbers) {}

  /** Not final, so a field of this type may hold anything that extends it. */
  record Open(Sized sized) {}

  static final class Custom implements Serializable {
    private static final long serialVersionUID = 1L;

    int value;

    private Object writeReplace() {
      return this;
    }
  }

  private static boolean isTree(Object... records) {
    return new AcyclicTypes(Set.of()).all(records, 0, records.length);
  }

  @Test
  void recordsOfValuesAreTrees() {
    assertThat(isTree(new Point(1, 2), new Point(3, null))).isTrue();
    assertThat(isTree(new Shape("s", new Point(1, 2), Colour.RED, new double[2], Instant.EPOCH)))
        .isTrue();
    assertThat(isTree(new Named(), new Sized(), null, "text", Colour.RED)).isTrue();
  }

  @Test
  void whatMayLeadBackOrHoldAnythingIsNoTree() {
    assertThat(isTree(new OperatorChain(null))).isFalse();
    assertThat(isTree(new Mutual(null))).isFalse();
    assertThat(isTree(new Loose(1))).isFalse();
    assertThat(isTree(new Listing(List.of()))).isFalse();
    assertThat(isTree(new Open(new Sized()))).isFalse();
    assertThat(isTree(new Custom())).isFalse();
    assertThat(isTree((Object) new Object[0])).isFalse();
    assertThat(isTree(new Point(1, 2), new Loose(1))).isFalse();
  }

  @Test
  void treesArriveAsTheyWere() {
    RecordBatchCodec codec =
        new RecordBatchCodec(AcyclicTypesTest.class.getClassLoader(), Runnable::run);
    Named named = new Named();
    named.size = 7;
    named.name = "n";
    Object[] records = {
      new Shape("s", new Point(1, null), Colour.GREEN, new double[] {1, 2}, Instant.EPOCH), named
    };
    ByteArrayOutput out = new ByteArrayOutput();
    codec.encode(records, RecordBatchCodec.NO_TIMESTAMPS, 0, 2, out);
    Object[] read = codec.decode(out.array(), 0, out.size()).records();
    assertThat(read[0]).usingRecursiveComparison().isEqualTo(records[0]);
    assertThat(read[1]).usingRecursiveComparison().isEqualTo(named);
    Shape shape = (Shape) read[0];
    assertThat(shape.colour()).isSameAs(Colour.GREEN);
  }
}
