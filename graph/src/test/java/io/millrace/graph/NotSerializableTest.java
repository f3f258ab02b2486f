package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.api.function.MapFunction;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Where an object is that cannot travel to the TaskManagers, in every place it can be in. */
@ResourceLock("bound program context")
class NotSerializableTest {
  private static final String HANDLE = Handle.class.getName();

  /** Something like a connection. */
  private static final class Handle {}

  private static final class Holder implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Object[] array = {"fine", null};
    private final ArrayList<Object> list = new ArrayList<>();
    private final LinkedHashMap<Object, Object> map = new LinkedHashMap<>();
    private final transient Object left = new Handle();
    private Serializable next;
    private Object plain;

    @Override
    public String toString() {
      return Arrays.toString(array) + list + map + left + next + plain;
    }
  }

  @Test
  void fieldIsNamed() {
    Holder holder = new Holder();
    holder.plain = new Handle();

    assertThat(found(holder)).isEqualTo("plain is a " + HANDLE);
  }

  @Test
  void pathLeadsThroughOtherObjects() {
    Holder inner = new Holder();
    inner.plain = new Handle();
    Holder holder = new Holder();
    holder.next = inner;

    assertThat(found(holder)).isEqualTo("next.plain is a " + HANDLE);
  }

  @Test
  void elementsOfArraysHaveTheirIndex() {
    Holder holder = new Holder();
    holder.array[1] = new Handle();

    assertThat(found(holder)).isEqualTo("array[1] is a " + HANDLE);
  }

  @Test
  void elementsOfCollectionsAndMapsAreToldWithoutOne() {
    Holder inList = new Holder();
    inList.list.add(new Handle());
    assertThat(found(inList)).isEqualTo("list[…] is a " + HANDLE);

    Holder asKey = new Holder();
    asKey.map.put(new Handle(), "value");
    assertThat(found(asKey)).isEqualTo("map key is a " + HANDLE);

    Holder asValue = new Holder();
    asValue.map.put("key", new Handle());
    assertThat(found(asValue)).isEqualTo("map value is a " + HANDLE);
  }

  @Test
  void functionItselfMayBeTheOne() {
    assertThat(NotSerializablePathFinder.to(HANDLE, new Handle())).contains("it is a " + HANDLE);
  }

  @Test
  void cyclesEnd() {
    Holder holder = new Holder();
    holder.next = holder;
    holder.list.add(holder);
    holder.plain = new Handle();

    assertThat(found(holder)).isEqualTo("plain is a " + HANDLE);
    holder.plain = null;
    assertThat(NotSerializablePathFinder.to(HANDLE, holder)).isEmpty();
  }

  @Test
  void transientFieldsAndOtherClassesAreNotMeant() {
    Holder holder = new Holder();
    holder.plain = new Object();

    assertThat(NotSerializablePathFinder.to(HANDLE, holder)).isEmpty();
  }

  @Test
  void variablesOfALambdaAreCounted() {
    Handle handle = new Handle();
    String fine = "fine";
    MapFunction<Integer, String> lambda = number -> fine + handle.hashCode() + number;

    assertThat(found(lambda))
        .isEqualTo(
            "(variable 2 captured by the lambda in "
                + NotSerializableTest.class.getName()
                + ") is a "
                + HANDLE);
  }

  @Test
  void errorNamesTheOperatorAndWhatToDo() {
    Holder holder = new Holder();
    holder.plain = new Handle();

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> FunctionSerializer.of(holder, "'my map'"))
        .withMessage(
            "Operator 'my map' cannot be sent to the TaskManagers: plain is a "
                + HANDLE
                + ", which is not Serializable. Create it inside the function, make the field"
                + " transient, or make the class Serializable.")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
  }

  @Test
  @Behaviour(
      "H1: an object that cannot be sent is named with its field and the line of the program")
  void errorHasTheLineOfTheProgram() {
    Holder holder = new Holder();
    holder.plain = new Handle();
    int[] line = new int[1];

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(
            () ->
                Programs.jobGraph(
                    env -> {
                      line[0] = new Throwable().getStackTrace()[0].getLineNumber() + 1;
                      env.fromElements(1).map(number -> number + holder.hashCode()).print();
                    }))
        .satisfies(
            e ->
                assertThat(e)
                    .hasMessageStartingWith(
                        "Operator 'map' (NotSerializableTest.java:"
                            + line[0]
                            + ") cannot be sent to the TaskManagers: function.(variable 1 captured"
                            + " by the lambda in "
                            + NotSerializableTest.class.getName()
                            + ").plain is a "
                            + HANDLE));
  }

  @Test
  void enclosingInstanceOfALambdaIsNamedSo() {
    MapFunction<Integer, String> lambda = number -> number + toString();

    assertThat(NotSerializablePathFinder.to(NotSerializableTest.class.getName(), lambda))
        .contains(
            "(the enclosing instance captured by the lambda in "
                + NotSerializableTest.class.getName()
                + ") is a "
                + NotSerializableTest.class.getName());
  }

  /** An object may write itself, so that it hides what it writes. */
  @Test
  void objectThatCannotBeFoundIsNamedByItsClass() {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> FunctionSerializer.of(new Hiding(), "'my map'"))
        .withMessageStartingWith(
            "Operator 'my map' cannot be sent to the TaskManagers: it holds an object of "
                + HANDLE
                + ", which is not Serializable.");
  }

  private static final class Hiding implements Serializable {
    private static final long serialVersionUID = 1L;

    private void writeObject(ObjectOutputStream out) throws IOException {
      out.writeObject(new Handle());
    }
  }

  @Test
  void otherFailuresAreToldInTheirWords() {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> FunctionSerializer.of(new Failing(), "'my map'"))
        .withMessage(
            "Operator 'my map' cannot be sent to the TaskManagers, because it cannot be"
                + " serialised: IOException: no such device");
  }

  private static final class Failing implements Serializable {
    private static final long serialVersionUID = 1L;

    private void writeObject(ObjectOutputStream out) throws IOException {
      throw new IOException("no such device");
    }
  }

  @Test
  void whatCanTravelComesBackEqual() throws Exception {
    ArrayList<Object> value = new ArrayList<>(List.of("a", 1, Map.of("k", 2L)));

    Bytes bytes = FunctionSerializer.of(value, "my map");

    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.unsafeArray()))) {
      assertThat(in.readObject()).isEqualTo(value);
    }
  }

  private static String found(Object root) {
    return NotSerializablePathFinder.to(HANDLE, root).orElseThrow();
  }
}
