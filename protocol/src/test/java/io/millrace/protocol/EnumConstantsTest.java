package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.codec.RecordCodec;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each constant of each enum in messages travels; random values need not meet all of them. */
class EnumConstantsTest {

  /** A component of a record with an enum as its type. */
  record EnumComponent(Class<? extends Record> holder, RecordComponent component) {
    @Override
    public String toString() {
      return holder.getSimpleName() + "." + component.getName();
    }
  }

  /** One component for each enum that messages have. */
  static Stream<EnumComponent> components() {
    Map<Class<?>, EnumComponent> first = new LinkedHashMap<>();
    RecordsTest.records()
        .forEach(
            holder -> {
              for (RecordComponent component : holder.getRecordComponents()) {
                if (component.getType().isEnum()) {
                  first.putIfAbsent(component.getType(), new EnumComponent(holder, component));
                }
              }
            });
    return first.values().stream();
  }

  @ParameterizedTest
  @MethodSource("components")
  void eachConstantIsReadAsItWasWritten(EnumComponent of) {
    RecordCodec codec =
        Messages.table().contains(of.holder())
            ? Messages.codec()
            : RecordCodec.of(List.of(of.holder()));
    int travelled = 0;
    for (Object constant : of.component().getType().getEnumConstants()) {
      Optional<Record> message = withConstant(of, constant);
      if (message.isPresent()) {
        Record decoded = codec.decode(codec.encode(message.get()));
        assertThat(RecordGenerator.read(of.component(), decoded)).isSameAs(constant);
        travelled++;
      }
    }
    assertThat(travelled).as("constants that the record accepts").isPositive();
  }

  /** A record with the constant; empty if its constructor accepts no such record. */
  private static Optional<Record> withConstant(EnumComponent of, Object constant) {
    int index = Arrays.asList(names(of.holder())).indexOf(of.component().getName());
    for (int seed = 0; seed < 50; seed++) {
      Object[] values = RecordGenerator.ofSeed(seed).components(of.holder());
      values[index] = constant;
      try {
        return Optional.of((Record) RecordGenerator.construct(of.holder(), values));
      } catch (IllegalArgumentException refused) {
        // Other components may fit.
      }
    }
    return Optional.empty();
  }

  private static String[] names(Class<? extends Record> holder) {
    return Arrays.stream(holder.getRecordComponents())
        .map(RecordComponent::getName)
        .toArray(String[]::new);
  }

  /** A map that lacks an enum key type in its signature could not be decoded. */
  @Test
  void keysOfMapsHaveAKnownType() {
    assertThat(RecordsTest.records())
        .allSatisfy(
            holder -> {
              for (RecordComponent component : holder.getRecordComponents()) {
                if (component.getType() == Map.class) {
                  ParameterizedType map = (ParameterizedType) component.getGenericType();
                  assertThat(map.getActualTypeArguments()[0])
                      .as("%s.%s", holder.getSimpleName(), component.getName())
                      .isInstanceOf(Class.class);
                }
              }
            });
  }
}
